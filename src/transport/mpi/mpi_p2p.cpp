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
#include "transport/arrivals.hpp"
#include "transport/buffers.hpp"
#include "transport/cut_messages.hpp"
#include "transport/mpi/mpi_channel.hpp"
#include "transport/mpi/mpi_eager.hpp"
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
        rounds_(traffic_.rounds.size()),
        last_of_buffer_(buffers_.send_buffers()) {
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      rounds_[r].round = &traffic_.rounds[r];
      rounds_[r].arrivals = Arrivals(traffic_.rounds[r], me_);
      rounds_[r].sizes = Sizes(traffic_.rounds[r], me_);
    }
    begin_help();
  }

  P2pChannel(const P2pChannel&) = delete;
  ~P2pChannel() override { end(/*in_run=*/false, {}); }

  std::string_view path_to(int) const override { return "mpi_p2p"; }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return 0; }

  void bind(std::byte* memory) override {
    memory_ = memory;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      make_receives(r);
      make_sends(r);
      for (MpiRequests* requests : {&rounds_[r].receives, &rounds_[r].heads, &rounds_[r].sends}) requests->reserve();
    }
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
    State*& last = last_of_buffer(round);
    for (State* before : {previous_, last})  // nobody looks after more than two rounds
      if (before) finish_sends(*before);
    State& state = at(round);
    state.next_send = state.end_of_sends = 0;
    last = &state;
    previous_ = std::exchange(current_, &state);
    state.chunks_sent = 0;
    state.arrivals.begin();
    state.sizes.begin(state.arrivals);
    state.heads.start();
    state.heads_closed = state.awaited.size();
    state.heads_came = 0;
    for (AwaitedHead& head : state.awaited) head.came = head.opened = false;
    for (std::size_t i = 0; i < state.received.size(); ++i)
      if (!cut_.has_head(state.round->in[state.received[i].message])) state.receives.start(i);
  }
  void shrink(int round, std::size_t i, Index bytes) override {
    State& state = at(round);
    state.sizes.set(i, bytes, state.arrivals);
  }
  void send(int round, int chunk) override {
    take_over();
    State& state = at(round);
    state.end_of_sends = state.first_send[static_cast<std::size_t>(chunk) + 1];
    go_on(state);
    state.arrivals.sent(chunk);
    ++state.chunks_sent;
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
    State& state = at(round);
    move_on();
    const bool done = state.chunks_sent == state.round->chunks && state.arrivals.all_here() && state.all_sent();
    if (!done) members_.look();
    return done;
  }
  void wait(int round) override {
    wait(round, at(round).round->chunks - 1);
    finish_sends(at(round));
  }
  bool arrived(int round, int chunk) override {
    take_over();
    State& state = at(round);
    if (!state.arrivals.here(chunk)) move_on();
    if (!state.arrivals.here(chunk)) members_.look();
    return state.arrivals.here(chunk);
  }
  void wait(int round, int chunk) override {
    take_over();
    State& state = at(round);
    Backoff backoff(crowded_);
    for (move_on(); !state.arrivals.here(chunk); backoff.pause()) help_and_look();
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
  struct AwaitedHead : MessageHead {
    bool came = false, opened = false;  ///< in the current use
  };
  struct State {
    const Round* round = nullptr;
    MpiRequests receives, heads, sends;
    std::vector<MessagePiece> received, sent;  ///< of each request; by chunk
    std::vector<AwaitedHead> awaited;          ///< of each request of `heads`; by chunk
    std::size_t heads_closed = 0;              ///< of the current use: those whose pieces are not asked for yet
    std::size_t heads_came = 0;                ///< of these: those that are here
    std::vector<std::int64_t> told, said;  ///< by heads: how long messages in, and by messages out: how long they are
    std::vector<std::size_t> first_send;   ///< by chunk, and the end
    Arrivals arrivals;
    Sizes sizes;
    int chunks_sent = 0;                          ///< of the current use
    std::size_t next_send = 0, end_of_sends = 0;  ///< pieces that wait for their turn
    std::vector<Index> long_bytes{};              ///< of each piece that is under way: 0 if it is short
    [[nodiscard]] bool all_sent() const { return next_send == end_of_sends && sends.idle(); }
  };

  [[nodiscard]] State& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] State*& last_of_buffer(int round) {
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

  void make_receives(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    PiecesIn cut = cut_.received(round);
    state.received = std::move(cut.pieces);
    for (const MessageHead& head : cut.heads) state.awaited.push_back({head});
    for (const MessagePiece& piece : state.received) {
      const Message& m = round.in[piece.message];
      auto* to = const_cast<std::byte*>(in(static_cast<int>(r), piece.message)) + piece.from;
      check_mpi(
          MPI_Recv_init(to, piece.bytes, MPI_BYTE, m.peer, piece.tag, comm_.get(), &state.receives.all.emplace_back()),
          "MPI_Recv_init");
      state.arrivals.await(m.chunk);
    }
    state.told.resize(state.awaited.size());
    for (std::size_t h = 0; h < state.awaited.size(); ++h)
      check_mpi(MPI_Recv_init(&state.told[h], 1, MPI_INT64_T, round.in[state.awaited[h].message].peer,
                              cut_.tag_of_heads(), comm_.get(), &state.heads.all.emplace_back()),
                "MPI_Recv_init");
  }

  void make_sends(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    state.sent = cut_.sent(round);
    for (std::size_t i = 0; i < state.sent.size(); ++i) {
      const MessagePiece& piece = state.sent[i];
      const Message& m = round.out[piece.message];
      while (static_cast<int>(state.first_send.size()) <= m.chunk) state.first_send.push_back(i);
      MPI_Request& request = state.sends.all.emplace_back(MPI_REQUEST_NULL);
      if (!m.varies)
        check_mpi(MPI_Send_init(out(static_cast<int>(r), piece.message) + piece.from, piece.bytes, MPI_BYTE, m.peer,
                                piece.tag, comm_.get(), &request),
                  "MPI_Send_init");
    }
    state.first_send.resize(static_cast<std::size_t>(round.chunks) + 1, state.sent.size());
    state.long_bytes.resize(state.sent.size());
    state.said.resize(round.out.size());
  }

  /// What varies is a request of its own in every run: the receiver has asked for the most that it can be, and learns
  /// from MPI what it is.
  void send_piece(State& state, std::size_t i, Index bytes) {
    const MessagePiece& piece = state.sent[i];
    const Message& m = state.round->out[piece.message];
    if (!m.varies) return state.sends.start(i);
    const void* from = memory_ +
                       buffers_.out_at(static_cast<std::size_t>(state.round - traffic_.rounds.data()), piece.message) +
                       piece.from;
    if (piece.number < 0) {
      state.said[piece.message] = state.sizes.of(piece.message);
      from = &state.said[piece.message];
    }
    check_mpi(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, m.peer, piece.tag, comm_.get(), &state.sends.all[i]),
              "MPI_Isend");
    state.sends.started(i);
  }

  [[nodiscard]] static Index bytes_of(const State& state, const MessagePiece& piece) {
    return state.round->out[piece.message].varies && piece.number >= 0
               ? std::clamp<Index>(state.sizes.of(piece.message) - piece.from, 0, piece.bytes)
               : piece.bytes;
  }

  [[nodiscard]] static bool is_free(const State* state) { return !state || state->all_sent(); }

  /// Sends what may be under way now, in the order in which it was handed over: MPI tells messages of equal tags apart
  /// by that.
  void go_on(State& state) {
    if (&state == current_ && previous_ && previous_ != current_ && previous_->next_send < previous_->end_of_sends)
      return;
    for (; state.next_send < state.end_of_sends; ++state.next_send) {
      const MessagePiece& piece = state.sent[state.next_send];
      const Message& m = state.round->out[piece.message];
      const Index bytes = bytes_of(state, piece);
      if (bytes == 0 && cut_.has_head(m)) continue;                           // which has told so
      const bool is_long = bytes >= std::min(long_piece, cut_.most(m.peer));  // what is cut is long
      if (is_long && long_pieces_ >= long_pieces_at_once && long_bytes_ + bytes > short_together) return;
      state.long_bytes[state.next_send] = is_long ? bytes : 0;
      long_pieces_ += is_long;
      long_bytes_ += is_long ? bytes : 0;
      send_piece(state, state.next_send, bytes);
    }
  }

  void move_on() {
    test();
    for (State* state : {previous_, current_}) {
      if (!state) continue;
      go_on(*state);
      open_heads(*state);
    }
  }

  void finish_sends(State& state) {
    Backoff backoff(crowded_);
    for (move_on(); !state.all_sent(); backoff.pause()) help_and_look();
  }

  void help_and_look() {
    help_all();
    members_.look();
  }

  /// Whether every round that this rank has begun came to its end: then only messages to slower ranks may be left.
  [[nodiscard]] bool has_all() const {
    return std::ranges::all_of(rounds_, [](const State& state) { return state.receives.idle() && state.heads.idle(); });
  }
  [[nodiscard]] bool has_handed_over() const {
    return std::ranges::all_of(rounds_, [](const State& state) { return state.next_send == state.end_of_sends; });
  }
  [[nodiscard]] bool some_are_read() const {
    return std::any_of(rounds_.begin(), rounds_.end(), [](const State& state) { return !state.sends.idle(); });
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
    std::vector<State*> states{previous_, current_};  // what is under way, in the order in which it began
    for (State& state : rounds_) states.push_back(&state);
    for (State* state : states) {
      if (!state) continue;
      for (MpiRequests* requests : {&state->receives, &state->heads}) requests->give_up(left.receives);
      state->sends.give_up(left.sends);
    }
    sum_.give_up(left);
    left.memory.insert(left.memory.end(), {memory, std::make_shared<std::vector<State>>(std::move(rounds_))});
    left.cancel();
    for (milliseconds = 0; !left.ended() && !left.receives.empty() && milliseconds < 100;)
      milliseconds += backoff.pause();
    members_.close(std::move(comm_), std::move(left));
  }

  void test() {
    std::array<State*, most_sets> states{};
    std::array<MpiRequests*, most_sets> sets{};
    std::size_t n = 0;
    for (State* state : {previous_, current_}) {
      if (!state || (n > 0 && state == previous_)) continue;
      for (MpiRequests* requests : {&state->sends, &state->heads, &state->receives}) {
        states[n] = state;
        sets[n++] = requests;
      }
    }
    tests_.test(std::span(sets).first(n), [&](std::size_t set, std::size_t i, const MPI_Status& status) {
      State& state = *states[set];
      if (sets[set] == &state.sends)
        was_sent(state, i);
      else if (sets[set] == &state.heads)
        head_came(state, i);
      else
        came(state, i, status);
    });
  }

  void was_sent(const State& state, std::size_t i) {
    long_pieces_ -= state.long_bytes[i] > 0;
    long_bytes_ -= state.long_bytes[i];
  }

  static void head_came(State& state, std::size_t i) {
    state.awaited[i].came = true;
    ++state.heads_came;
  }

  static void came(State& state, std::size_t i, const MPI_Status& status) {
    const MessagePiece& piece = state.received[i];
    const Message& m = state.round->in[piece.message];
    if (m.varies) {
      int bytes = 0;
      check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
      state.arrivals.add(piece.message, bytes);
    }
    state.arrivals.came(m.chunk);
  }

  /// Those of a rank are opened in the order in which they were sent, in one round and from round to round: tags of
  /// pieces repeat. MPI matches them in that order, but may say of a later one first that it is here.
  void open_heads(State& state) {
    if (&state == current_ && previous_ && previous_ != current_ && previous_->heads_closed > 0) return;
    for (std::size_t h = 0; state.heads_came > 0 && h < state.awaited.size(); ++h) {
      const AwaitedHead& head = state.awaited[h];
      if (head.came && !head.opened && (head.before == h || state.awaited[head.before].opened))
        receive_pieces(state, h);
    }
  }

  void receive_pieces(State& state, std::size_t head) {
    --state.heads_closed;
    --state.heads_came;
    state.awaited[head].opened = true;
    const std::size_t message = state.awaited[head].message;
    for (std::size_t i = state.awaited[head].first_piece;
         i < state.received.size() && state.received[i].message == message; ++i) {
      if (state.received[i].from < state.told[head])
        state.receives.start(i);
      else
        state.arrivals.came(state.round->in[message].chunk);
    }
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
  Buffers buffers_;
  std::vector<State> rounds_;
  std::vector<State*> last_of_buffer_;  ///< the last round that used each send buffer
  MpiSum sum_;
  MpiTests tests_;
  std::byte* memory_ = nullptr;
  State *previous_ = nullptr, *current_ = nullptr;  ///< the last rounds that began
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
