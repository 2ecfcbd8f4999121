#include "transport/mpi/mpi_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm/backoff.hpp"

namespace shardfft {
namespace {

constexpr std::byte leaves{254};  // in place of a word
constexpr int last_tag = MpiMembers::tag - 1;
// A rank learns from MPI only that all have begun.
constexpr std::string_view not_begun =
    "ranks that have not begun this run; every rank that has begun says this: look at those that do not";

bool all_leave(std::span<const std::byte> words) {
  return std::all_of(words.begin(), words.end(), [](std::byte word) { return word == leaves; });
}

/// A channel that ended before all ranks had left.
class Closing final : public MpiRemains {
 public:
  Closing(MpiComm comm, MPI_Request request, std::shared_ptr<const std::vector<std::byte>> words, const MpiCalls& calls,
          bool in_order, MpiLeftovers leftovers)
      : comm_(std::move(comm)),
        request_(request),
        words_(std::move(words)),
        calls_(calls),
        in_order_(in_order),
        leftovers_(std::move(leftovers)) {}

  MpiCalls calls() const override { return calls_; }

  bool is_over() override {
    int gathered = 0;
    if (!in_order_ || MPI_Test(&request_, &gathered, MPI_STATUS_IGNORE) != MPI_SUCCESS || !gathered) return false;
    in_order_ = all_leave(*words_);  // else the others had begun a run, and hear it now
    return in_order_ && leftovers_.ended();
  }

  // A call that some ranks have begun ends once the others begin it, too: no rank is two calls ahead of another one,
  // unless MPI failed.
  void free_together(const MpiCalls& least, const MpiCalls& most) override {
    if (least.count + 1 < most.count) return comm_.forget();
    try {
      MPI_Comm_size(comm_.get(), &ranks_);
      if (calls_.count < most.count) begin_missing(most);
      leftovers_.cancel();
      receive_the_rest();
    } catch (const Error&) { comm_.forget(); }
  }

 private:
  void begin_missing(const MpiCalls& call) {
    if (call.doubles == 0) {
      bytes_.resize(static_cast<std::size_t>(ranks_));
      check_mpi(MPI_Iallgather(&leaves, 1, MPI_BYTE, bytes_.data(), 1, MPI_BYTE, comm_.get(), &request_),
                "MPI_Iallgather");
    } else {
      mine_.resize(static_cast<std::size_t>(call.doubles));
      total_ = mine_;
      check_mpi(MPI_Iallreduce(mine_.data(), total_.data(), static_cast<int>(call.doubles), MPI_DOUBLE, MPI_SUM,
                               comm_.get(), &request_),
                "MPI_Iallreduce");
    }
  }

  // All that a rank has sent comes before the last it sends.
  void receive_the_rest() {
    int me = 0, missing = ranks_ - 1;
    MPI_Comm_rank(comm_.get(), &me);
    for (int peer = 0; peer < ranks_; ++peer)
      if (peer != me)
        check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, peer, last_tag, comm_.get(),
                            &leftovers_.sends.emplace_back(MPI_REQUEST_NULL)),
                  "MPI_Isend");
    if (request_ != MPI_REQUEST_NULL) leftovers_.sends.push_back(std::exchange(request_, MPI_REQUEST_NULL));
    for (Backoff backoff(/*sleeps=*/true); !leftovers_.ended() || missing > 0; backoff.pause()) {
      while (missing > 0 && receive_one(missing)) {}
      help_all();
    }
  }

  bool receive_one(int& missing) {
    int came = 0, bytes = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.get(), &came, &status), "MPI_Iprobe");
    if (!came) return false;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    bytes_of_nobody_.resize(static_cast<std::size_t>(bytes));
    check_mpi(MPI_Recv(bytes_of_nobody_.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_.get(),
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
    missing -= status.MPI_TAG == last_tag;
    return true;
  }

  MpiComm comm_;
  MPI_Request request_;
  std::shared_ptr<const std::vector<std::byte>> words_;
  MpiCalls calls_;
  bool in_order_;
  int ranks_ = 0;
  std::vector<std::byte> bytes_{}, bytes_of_nobody_{};
  std::vector<double> mine_{}, total_{};
  MpiLeftovers leftovers_;
};

}  // namespace

MpiMembers::MpiMembers(std::string_view transport, const Comm& group, MPI_Comm comm)
    : transport_(transport),
      watch_(transport, group),
      comm_(comm),
      me_(group.rank()),
      ranks_(group.size()),
      number_(meet(group)),
      words_(std::make_unique<Words>(Words{{}, std::vector<std::byte>(static_cast<std::size_t>(group.size()))})) {}

MpiMembers::~MpiMembers() {
  if (request_ != MPI_REQUEST_NULL) (void)words_.release();
}

void MpiMembers::begin(std::byte word) {
  words_->mine = word;
  calls_ = {calls_.count + 1, 0};
  check_mpi(MPI_Iallgather(&words_->mine, 1, MPI_BYTE, words_->all.data(), 1, MPI_BYTE, comm_, &request_),
            "MPI_Iallgather");
}

bool MpiMembers::done() {
  int done = 0;
  check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Iallgather");
  return done != 0;
}

void MpiMembers::handshake(std::byte mine, std::span<std::byte> all) {
  if (gone_ >= 0) fail();
  begin(mine);
  Backoff backoff(/*sleeps=*/true);
  Stall stall(watch_);
  const auto owing = [] { return not_begun; };
  for (; !done(); stall.look(backoff.pause(), owing)) {
    help_all();
    look();
  }
  const auto who = std::find(words_->all.begin(), words_->all.end(), leaves);
  if (who != words_->all.end()) gone_ = static_cast<int>(who - words_->all.begin());
  if (gone_ >= 0) fail();
  std::copy(words_->all.begin(), words_->all.end(), all.begin());
}

void MpiMembers::fail() const {
  throw Error(Status::transport_failed,
              fmt::format("{}: rank {} will send nothing more: it has given up the plan", transport_, gone_));
}

void MpiMembers::look() {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < 1ms) return;
  looked_ = now;
  if (gone_ < 0) {
    int came = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &came, &status), "MPI_Iprobe");
    if (!came) return;
    gone_ = status.MPI_SOURCE;
    noticed_ = now;
  }
  constexpr int most_looks = 200;
  if (++looks_ > most_looks && now - noticed_ > 200ms) fail();
}

void MpiMembers::leave(bool in_order) {
  if (state_ != Membership::here) return;
  state_ = in_order && gone_ < 0 && request_ == MPI_REQUEST_NULL ? Membership::leaving : Membership::broke_off;
  if (state_ == Membership::leaving) return begin(leaves);
  for (int peer = 0; peer < ranks_; ++peer) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (peer != me_ && MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag, comm_, &request) == MPI_SUCCESS)
      MPI_Request_free(&request);
  }
}

bool MpiMembers::all_left() {
  if (state_ == Membership::leaving && done()) {
    state_ = all_leave(words_->all) ? Membership::left
                                    : Membership::broke_off;  // the others had begun a run, and hear it now
  }
  return state_ == Membership::left;
}

void MpiMembers::close(MpiComm comm, MpiLeftovers leftovers) {
  if (all_left() && leftovers.ended()) return;
  const std::shared_ptr<const Words> words(std::move(words_));
  leave_behind(number_, ranks_,
               std::make_unique<Closing>(std::move(comm), std::exchange(request_, MPI_REQUEST_NULL),
                                         std::shared_ptr<const std::vector<std::byte>>(words, &words->all), calls_,
                                         state_ != Membership::broke_off, std::move(leftovers)));
}

}  // namespace shardfft
