#include "transport/mpi/mpi_p2p.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "shardfft/error.hpp"
#include "support/comm/comm_mpi.hpp"
#include "transport/buffers.hpp"
#include "transport/cut_messages.hpp"
#include "transport/missing.hpp"
#include "transport/mpi/mpi_channel.hpp"
#include "transport/mpi/mpi_eager.hpp"
#include "transport/mpi/mpi_p2p_round.hpp"
#include "transport/mpi/mpi_requests.hpp"
#include "transport/mpi/mpi_sum.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// Messages that are long enough to fill a cable are sent two at a time, or as many as are this short together, around
/// the ring of ranks: all at once they take the rate from each other (docs/performance/results.md).
constexpr Index long_piece = 128 << 10, short_together = 1 << 20;
constexpr int long_pieces_at_once = 2;

class P2pChannel final : public MpiChannel {
 public:
  P2pChannel(const Comm& comm, Traffic traffic, Index piece_bytes, int tags)
      : MpiChannel("mpi_p2p", comm),
        me_(comm.rank()),
        between_nodes_(comm.nodes() > 1 ? most_between_nodes() : std::numeric_limits<Index>::max()),
        cut_(me_, longest_pieces(comm, piece_bytes), tags),
        crowded_(is_crowded(comm)),
        traffic_(std::move(traffic)),
        buffers_(traffic_, me_, /*overlap=*/true),
        last_of_buffer_(buffers_.send_buffers()) {
    rounds_.reserve(traffic_.rounds.size());
    for (const Round& round : traffic_.rounds) rounds_.emplace_back(round, me_);
    begin_help();
  }

  P2pChannel(const P2pChannel&) = delete;
  ~P2pChannel() override { end(/*in_run=*/false, {}); }

  std::string_view path_to(int) const override { return "mpi_p2p"; }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return 0; }

  void bind(std::byte* memory) override {
    memory_ = memory;
    for (std::size_t r = 0; r < rounds_.size(); ++r) rounds_[r].bind(*this, static_cast<int>(r), comm_.get(), cut_);
    tests_.reserve(most_sets);
  }

  std::byte* out(int round, std::size_t i) const override {
    return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i);
  }
  const std::byte* in(int round, std::size_t i) const override {
    const auto r = static_cast<std::size_t>(round);
    return memory_ + buffers_.inbox_at(r) + traffic_.rounds[r].in[i].offset;
  }

  bool ready(int round) override {
    take_over();
    move_on();
    members_.look();
    return is_free(last_of_buffer(round)) && is_free(previous_);
  }
  void begin(int round) override {
    take_over();
    P2pRound*& last = last_of_buffer(round);
    for (P2pRound* before : {previous_, last})  // nobody looks after more than two rounds
      if (before) finish_sends(*before);
    last = &at(round);
    previous_ = std::exchange(current_, last);
    current_->begin();
  }
  void shrink(int round, std::size_t i, Index bytes) override {
    P2pRound& its = at(round);
    its.sizes.set(i, bytes, its.arrivals);
  }
  void send(int round, int chunk) override {
    take_over();
    at(round).hand_over(chunk);
    go_on(at(round));
    at(round).handed_over(chunk);
  }
  /// Over TCP each question that finds nothing asks the system about all connections, and may hand the core to another
  /// rank; what is under way keeps a cable of 25 Gbit/s busy until the next one.
  void progress(int) override {
    if (between_nodes_ < std::numeric_limits<Index>::max()) {
      const auto now = std::chrono::steady_clock::now();
      if (now - asked_ < std::chrono::microseconds(300)) return;
      asked_ = now;
    }
    move_on();
  }
  void help() override { move_on(); }
  bool arrived(int round) override {
    take_over();
    move_on();
    if (at(round).is_done()) return true;
    members_.look();
    return false;
  }
  void wait(int round) override {
    wait(round, traffic_.rounds[static_cast<std::size_t>(round)].chunks - 1);
    finish_sends(at(round));
  }
  bool arrived(int round, int chunk) override {
    take_over();
    const Arrivals& arrivals = at(round).arrivals;
    if (!arrivals.here(chunk)) move_on();
    if (!arrivals.here(chunk)) members_.look();
    return arrivals.here(chunk);
  }
  void wait(int round, int chunk) override {
    take_over();
    const Arrivals& arrivals = at(round).arrivals;
    Backoff backoff(crowded_);
    Stall stall(watch_);
    const auto owing = [&] { return owed(missing(round, chunk), round); };
    for (move_on(); !arrivals.here(chunk); stall.look(backoff.pause(), owing)) help_and_look();
  }
  std::vector<Message> missing(int round, int chunk) const override {
    return rounds_[static_cast<std::size_t>(round)].missing(chunk);
  }
  std::vector<int> unread(int round) const override {
    std::vector<int> late;
    for (const P2pRound* before : {previous_, last_of_buffer_[buffers_.send_buffer(static_cast<std::size_t>(round))]})
      if (before)
        for (const Message& m : before->untaken()) late.push_back(m.peer);
    return late;
  }
  Index received(int round, std::size_t i) const override {
    return rounds_[static_cast<std::size_t>(round)].arrivals.bytes(i);
  }
  void release(int) override {}

  void start_sum(std::span<const double> mine) override {
    members_.sums(mine.size());
    sum_.start(comm_.get(), mine);
  }
  /// What is on its way goes on meanwhile: pieces that wait for their turn are sent by nobody else.
  bool summed(std::span<double> total) override {
    if (sum_.done(total)) return true;
    help_and_look();
    return false;
  }

 private:
  [[nodiscard]] P2pRound& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] P2pRound*& last_of_buffer(int round) {
    return last_of_buffer_[buffers_.send_buffer(static_cast<std::size_t>(round))];
  }

  /// All ranks agree.
  [[nodiscard]] Index most_between_nodes() const {
    std::int64_t most = tcp_eager_bytes();
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MIN, comm_.get(), &request), "MPI_Iallreduce");
    finish({&request, 1}, "MPI_Iallreduce");
    return most > 0 ? most : std::numeric_limits<Index>::max();
  }

  /// For or from each peer. Longer messages between nodes are sent in pieces.
  [[nodiscard]] std::vector<Index> longest_pieces(const Comm& comm, Index most) const {
    std::vector<Index> all;
    for (int peer = 0; peer < comm.size(); ++peer)
      all.push_back(comm.node(peer) == comm.node(me_) ? most : std::min(most, between_nodes_));
    return all;
  }

  [[nodiscard]] static bool is_free(const P2pRound* round) { return !round || round->all_sent(); }
  /// The round that began before this one, whose pieces come first; or nullptr.
  [[nodiscard]] const P2pRound* before(const P2pRound& round) const {
    return &round == current_ && previous_ != current_ ? previous_ : nullptr;
  }

  /// Sends what may be under way now, in the order in which it was handed over: MPI tells messages of equal tags apart
  /// by that.
  void go_on(P2pRound& round) {
    if (const P2pRound* first = before(round); first && !first->has_handed_over()) return;
    while (!round.has_handed_over()) {
      const Message& m = round.next_message();
      const Index bytes = round.next_bytes();
      if (bytes == 0 && cut_.has_head(m)) {  // which has told so
        round.skip_next();
        continue;
      }
      const bool is_long = bytes >= std::min(long_piece, cut_.most(m.peer));  // what is cut is long
      if (is_long && long_pieces_ >= long_pieces_at_once && long_bytes_ + bytes > short_together) return;
      long_pieces_ += is_long;
      long_bytes_ += is_long ? bytes : 0;
      round.send_next(bytes, is_long ? bytes : 0);
    }
  }

  void move_on() {
    test();
    for (P2pRound* round : {previous_, current_}) {
      if (!round) continue;
      go_on(*round);
      if (const P2pRound* first = before(*round); !first || !first->has_closed_heads()) round->open_heads();
    }
  }

  void finish_sends(const P2pRound& round) {
    Backoff backoff(crowded_);
    Stall stall(watch_);
    const auto owing = [&] { return not_taken(round); };
    for (move_on(); !round.all_sent(); stall.look(backoff.pause(), owing)) help_and_look();
  }
  [[nodiscard]] std::vector<Owed> not_taken(const P2pRound& round) const {
    std::vector<Owed> late;
    for (const Message& m : round.untaken())
      late.push_back({m.peer, fmt::format("has not taken chunk {} of exchange {}, {} bytes", m.chunk,
                                          &round - rounds_.data(), m.bytes)});
    return late;
  }

  void help_and_look() {
    help_all();
    members_.look();
  }

  /// Whether every round that this rank has begun came to its end.
  [[nodiscard]] bool has_all() const { return std::ranges::all_of(rounds_, &P2pRound::has_all); }
  [[nodiscard]] bool has_handed_over() const { return std::ranges::all_of(rounds_, &P2pRound::has_handed_over); }
  [[nodiscard]] bool some_are_read() const {
    return std::ranges::any_of(rounds_, [](const P2pRound& round) { return !round.sends.idle(); });
  }

  /// What was given to MPI goes out, if the readers take it now. A run that broke off may leave messages that nobody
  /// receives yet.
  void give_up(bool in_run, const std::shared_ptr<const void>& memory) override {
    const bool summed = sum_.settle();
    Backoff backoff(/*sleeps=*/true);
    int milliseconds = 0;
    for (; milliseconds < 100 && has_all() && !has_handed_over(); milliseconds += backoff.pause()) move_on();
    members_.leave(!in_run && summed && has_all() && has_handed_over());
    for (milliseconds = 0; milliseconds < 100 && some_are_read(); milliseconds += backoff.pause()) test();
    MpiLeftovers left;
    std::vector<P2pRound*> all{previous_, current_};  // what is under way, in the order in which it began
    for (P2pRound& round : rounds_) all.push_back(&round);
    for (P2pRound* round : all) {
      if (!round) continue;
      for (MpiRequests* requests : {&round->receives, &round->heads}) requests->give_up(left.receives);
      round->sends.give_up(left.sends);
    }
    sum_.give_up(left);
    left.memory.insert(left.memory.end(), {memory, std::make_shared<std::vector<P2pRound>>(std::move(rounds_))});
    left.cancel();
    for (milliseconds = 0; !left.ended() && !left.receives.empty() && milliseconds < 100;)
      milliseconds += backoff.pause();
    members_.close(std::move(comm_), std::move(left));
  }

  void test() {
    std::array<P2pRound*, most_sets> rounds{};
    std::array<MpiRequests*, most_sets> sets{};
    std::size_t n = 0;
    for (P2pRound* round : {previous_, current_}) {
      if (!round || (n > 0 && round == previous_)) continue;
      for (MpiRequests* requests : {&round->sends, &round->heads, &round->receives}) {
        rounds[n] = round;
        sets[n++] = requests;
      }
    }
    tests_.test(std::span(sets).first(n), [&](std::size_t set, std::size_t i, const MPI_Status& status) {
      P2pRound& round = *rounds[set];
      if (sets[set] == &round.sends)
        was_sent(round.was_sent(i));
      else if (sets[set] == &round.heads)
        round.head_came(i);
      else
        round.came(i, status);
    });
  }

  void was_sent(Index bytes) {
    long_pieces_ -= bytes > 0;
    long_bytes_ -= bytes;
  }

  static constexpr std::size_t most_sets = 6;  ///< of two rounds: what is sent, heads, what is received

  int me_;
  Index between_nodes_;  ///< bytes of a message that MPI sends there unasked
  CutMessages cut_;
  bool crowded_;
  std::chrono::steady_clock::time_point asked_{};  ///< for progress(), the last time
  int long_pieces_ = 0;                            ///< under way
  Index long_bytes_ = 0;                           ///< of these
  Traffic traffic_;
  MessageBuffers buffers_;
  std::vector<P2pRound> rounds_{};
  std::vector<P2pRound*> last_of_buffer_;  ///< the last round that used each send buffer
  MpiSum sum_;
  MpiTests tests_;
  std::byte* memory_ = nullptr;
  P2pRound *previous_ = nullptr, *current_ = nullptr;  ///< the last rounds that began
};

}  // namespace

std::string MpiP2p::library() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

std::string MpiP2p::refuses(const Comm& comm) const {
  return comm.kind() == "mpi"
             ? std::string()
             : fmt::format("serves ranks of an MPI communicator, but the group is of kind {}", comm.kind());
}

std::unique_ptr<Channel> MpiP2p::open(const Comm& comm, const Traffic& traffic) const {
  return std::make_unique<P2pChannel>(comm, traffic, piece_bytes_, tags_);
}

const Transport& mpi_p2p_transport() {
  static const MpiP2p transport;
  return transport;
}

}  // namespace shardfft
