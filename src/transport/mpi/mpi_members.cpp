#include "transport/mpi/mpi_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm/backoff.hpp"

namespace shardfft {
namespace {

constexpr std::byte leaves{254};  // in place of a word, which is 255, 253 or less than 200

/// A channel that ended before all ranks had left. MPI writes to the words until then, and somebody may send on the
/// communicator.
struct Closing {
  MpiComm comm;
  MPI_Request request = MPI_REQUEST_NULL;
  std::shared_ptr<const void> words;
};
struct Register {
  std::mutex mutex;
  std::vector<Closing> all;
};
/// Never destroyed: plans may be static objects.
Register& register_of_all() {
  static Register& all = *new Register;
  return all;
}

/// Frees what all ranks have left by now.
void let_go() {
  Register& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  std::erase_if(r.all, [](Closing& closing) {
    int done = 0;
    return MPI_Test(&closing.request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done;
  });
}

}  // namespace

MpiMembers::MpiMembers(std::string_view transport, MPI_Comm comm, int me, int ranks)
    : transport_(transport),
      comm_(comm),
      me_(me),
      ranks_(ranks),
      words_(std::make_unique<Words>(Words{{}, std::vector<std::byte>(static_cast<std::size_t>(ranks))})) {
  let_go();
}

MpiMembers::~MpiMembers() {
  if (request_ != MPI_REQUEST_NULL) (void)words_.release();
}

void MpiMembers::begin(std::byte word) {
  words_->mine = word;
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
  for (; !done(); backoff.pause()) {
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
  if (state_ != State::here) return;
  state_ = in_order && gone_ < 0 && request_ == MPI_REQUEST_NULL ? State::leaving : State::broke_off;
  if (state_ == State::leaving) return begin(leaves);
  for (int peer = 0; peer < ranks_; ++peer) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (peer != me_ && MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag, comm_, &request) == MPI_SUCCESS)
      MPI_Request_free(&request);
  }
}

bool MpiMembers::all_left() {
  if (state_ == State::leaving && done()) {
    const bool all = std::all_of(words_->all.begin(), words_->all.end(), [](std::byte word) { return word == leaves; });
    state_ = all ? State::left : State::broke_off;  // the others had begun a run, and hear it now
  }
  return state_ == State::left;
}

void MpiMembers::close(MpiComm comm) {
  if (all_left()) return;
  if (state_ == State::broke_off) return comm.forget();
  Register& r = register_of_all();
  const std::lock_guard lock(r.mutex);
  r.all.push_back(
      {std::move(comm), std::exchange(request_, MPI_REQUEST_NULL), std::shared_ptr<const Words>(std::move(words_))});
}

}  // namespace shardfft
