#include "transport/mpi_p2p.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm_mpi.hpp"
#include "transport/arrivals.hpp"
#include "transport/buffers.hpp"
#include "transport/mpi_requests.hpp"
#include "transport/mpi_sum.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

/// Tags tell the pieces between two ranks in one round apart; MPI promises this many. Beyond it they repeat, and MPI's order of equal tags decides.
constexpr int tags = 32768;
/// Messages that are long enough to fill a cable are sent two at a time, around the ring of ranks: all at once they take the rate from each other (docs/performance.md, "Over a network").
constexpr Index long_piece = 128 << 10;
constexpr int long_pieces_at_once = 2;

class P2pChannel final : public Channel, public MpiChore {
 public:
  P2pChannel(const Comm& comm, Traffic traffic, Index piece_bytes)
      : me_(comm.rank()), ranks_(comm.size()), crowded_(is_crowded(comm)), piece_bytes_(piece_bytes), traffic_(std::move(traffic)),
        buffers_(traffic_, me_, /*overlap=*/true), rounds_(traffic_.rounds.size()), last_of_buffer_(buffers_.send_buffers()), comm_(duplicate(mpi_comm_of(comm))) {
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      rounds_[r].round = &traffic_.rounds[r];
      rounds_[r].arrivals = Arrivals(traffic_.rounds[r], me_);
      rounds_[r].sizes = Sizes(traffic_.rounds[r], me_);
    }
    begin_help();
  }

  P2pChannel(const P2pChannel&) = delete;
  ~P2pChannel() override {
    end_help();
    if (!mpi_is_running()) return;
    bool idle = sum_.settle();
    for (State& state : rounds_) {
      idle = idle && state.receives.idle() && state.all_sent();
      state.receives.free(/*receives=*/true);
      state.sends.free(/*receives=*/false);
    }
    // A run broke off: messages may still come that nobody receives, and another communicator in the place of this one would take them for its own.
    if (!idle) comm_.forget();
  }

  std::string_view path_to(int) const override { return "mpi_p2p"; }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return 0; }

  void bind(std::byte* memory) override {
    memory_ = memory;
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
      make_receives(r);
      make_sends(r);
      rounds_[r].receives.reserve();
      rounds_[r].sends.reserve();
    }
  }

  std::byte* out(int round, std::size_t i) const override { return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i); }
  const std::byte* in(int round, std::size_t i) const override {
    const auto r = static_cast<std::size_t>(round);
    return memory_ + buffers_.inbox_at(r) + traffic_.rounds[r].in[i].offset;
  }

  bool ready(int round) override {
    progress(round);
    return is_free(last_of_buffer(round)) && is_free(previous_);
  }
  void begin(int round) override {
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
    start(state.receives, 0, state.receives.all.size());
  }
  void shrink(int round, std::size_t i, Index bytes) override {
    State& state = at(round);
    state.sizes.set(i, bytes, state.arrivals);
  }
  void send(int round, int chunk) override {
    State& state = at(round);
    state.end_of_sends = state.first_send[static_cast<std::size_t>(chunk) + 1];
    go_on(state);
    state.arrivals.sent(chunk);
    ++state.chunks_sent;
  }
  void progress(int) override {
    for (State* state : {previous_, current_})
      if (state) test(*state);
  }
  void help() override { progress(0); }
  bool arrived(int round) override {
    State& state = at(round);
    progress(round);
    return state.chunks_sent == state.round->chunks && state.arrivals.all_here() && state.all_sent();
  }
  void wait(int round) override {
    wait(round, at(round).round->chunks - 1);
    finish_sends(at(round));
  }
  bool arrived(int round, int chunk) override {
    State& state = at(round);
    if (!state.arrivals.here(chunk)) progress(round);
    return state.arrivals.here(chunk);
  }
  void wait(int round, int chunk) override {
    State& state = at(round);
    Patience patience(crowded_);
    for (; !state.arrivals.here(chunk); patience.pause()) {
      progress(round);
      help_all();
    }
  }
  Index received(int round, std::size_t i) const override { return rounds_[static_cast<std::size_t>(round)].arrivals.bytes(i); }
  void release(int) override {}

  void start_sum(std::span<const double> mine) override { sum_.start(comm_.get(), mine); }
  bool summed(std::span<double> total) override { return sum_.done(total); }

 private:
  /// A message, or a part of one that is too long for one.
  struct Piece {
    std::size_t message = 0;
    Index from = 0;  ///< bytes from the start of the message
    int bytes = 0;   ///< at most
    int tag = 0;
  };
  struct State {
    const Round* round = nullptr;
    MpiRequests receives, sends;
    std::vector<Piece> received, sent;    ///< of each request; by chunk
    std::vector<std::size_t> first_send;  ///< by chunk, and the end
    Arrivals arrivals;
    Sizes sizes;
    int chunks_sent = 0;  ///< of the current use
    std::size_t next_send = 0, end_of_sends = 0;  ///< pieces that wait for their turn
    std::vector<bool> is_long{};                  ///< of each piece that is under way
    [[nodiscard]] bool all_sent() const { return next_send == end_of_sends && sends.idle(); }
  };

  [[nodiscard]] State& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] State*& last_of_buffer(int round) { return last_of_buffer_[buffers_.send_buffer(static_cast<std::size_t>(round))]; }

  /// Calls make(piece) for the pieces of a message; `next_tag` goes on from message to message of the same two ranks.
  template <class Make>
  void in_pieces(std::size_t message, Index bytes, int& next_tag, Make make) const {
    for (Index done = 0; done < bytes; done += piece_bytes_) {
      make(Piece{message, done, static_cast<int>(std::min(piece_bytes_, bytes - done)), next_tag});
      next_tag = (next_tag + 1) % tags;
    }
  }

  void make_receives(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    int next_tag = 0, source = -1;
    for (std::size_t i = 0; i < round.in.size(); ++i) {
      const Message& m = round.in[i];
      if (m.peer == me_) continue;
      if (std::exchange(source, m.peer) != m.peer) next_tag = 0;
      in_pieces(i, m.bytes, next_tag, [&](const Piece& piece) { state.received.push_back(piece); });
    }
    const auto chunk = [&](const Piece& piece) { return round.in[piece.message].chunk; };
    std::stable_sort(state.received.begin(), state.received.end(), [&](const Piece& a, const Piece& b) { return chunk(a) < chunk(b); });
    for (const Piece& piece : state.received) {
      auto* to = const_cast<std::byte*>(in(static_cast<int>(r), piece.message)) + piece.from;
      check_mpi(MPI_Recv_init(to, piece.bytes, MPI_BYTE, round.in[piece.message].peer, piece.tag, comm_.get(), &state.receives.all.emplace_back()), "MPI_Recv_init");
      state.arrivals.await(chunk(piece));
    }
  }

  /// Chunk by chunk; in each, first to the next rank, last to the one before me, so that not all ranks send to the same one.
  void make_sends(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    std::vector<int> next_tag(static_cast<std::size_t>(ranks_));
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < round.out.size(); ++i)
      if (round.out[i].peer != me_) order.push_back(i);
    const auto turn = [&](std::size_t i) { return std::pair(round.out[i].chunk, (round.out[i].peer - me_ + ranks_) % ranks_); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return turn(a) < turn(b); });
    for (const std::size_t i : order) {
      const Message& m = round.out[i];
      while (static_cast<int>(state.first_send.size()) <= m.chunk) state.first_send.push_back(state.sent.size());
      in_pieces(i, m.bytes, next_tag[static_cast<std::size_t>(m.peer)], [&](const Piece& piece) {
        state.sent.push_back(piece);
        MPI_Request& request = state.sends.all.emplace_back(MPI_REQUEST_NULL);
        if (m.varies) return;
        check_mpi(MPI_Send_init(out(static_cast<int>(r), i) + piece.from, piece.bytes, MPI_BYTE, m.peer, piece.tag, comm_.get(), &request), "MPI_Send_init");
      });
    }
    state.first_send.resize(static_cast<std::size_t>(round.chunks) + 1, state.sent.size());
    state.is_long.resize(state.sent.size());
  }

  /// What varies is a request of its own in every run: the receiver has asked for the most that it can be, and learns from MPI what it is.
  void send_piece(State& state, std::size_t i, Index bytes) {
    const Piece& piece = state.sent[i];
    const Message& m = state.round->out[piece.message];
    if (!m.varies) return start(state.sends, i, i + 1);
    const std::byte* from = memory_ + buffers_.out_at(static_cast<std::size_t>(state.round - traffic_.rounds.data()), piece.message) + piece.from;
    check_mpi(MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, m.peer, piece.tag, comm_.get(), &state.sends.all[i]), "MPI_Isend");
    state.sends.started(1);
  }

  [[nodiscard]] static Index bytes_of(const State& state, const Piece& piece) {
    return state.round->out[piece.message].varies ? std::clamp<Index>(state.sizes.of(piece.message) - piece.from, 0, piece.bytes) : piece.bytes;
  }

  [[nodiscard]] static bool is_free(const State* state) { return !state || state->all_sent(); }

  /// Sends what may be under way now, in the order in which it was handed over: MPI tells messages of equal tags apart by that.
  void go_on(State& state) {
    if (&state == current_ && previous_ && previous_ != current_ && previous_->next_send < previous_->end_of_sends) return;
    for (; state.next_send < state.end_of_sends; ++state.next_send) {
      const Index bytes = bytes_of(state, state.sent[state.next_send]);
      const bool is_long = bytes >= std::min(long_piece, piece_bytes_);  // what is cut, as in tests, is long
      if (is_long && long_pieces_ == long_pieces_at_once) return;
      state.is_long[state.next_send] = is_long;
      long_pieces_ += is_long;
      send_piece(state, state.next_send, bytes);
    }
  }

  void finish_sends(State& state) {
    Patience patience(crowded_);
    for (; !state.all_sent(); patience.pause()) {
      progress(0);
      help_all();
    }
  }

  static void start(MpiRequests& requests, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {  // one by one: MPI_Startall may start them in any order
      check_mpi(MPI_Start(&requests.all[i]), "MPI_Start");
      requests.started(1);
    }
  }

  void test(State& state) {
    state.sends.test([&](std::size_t i, const MPI_Status&) { long_pieces_ -= state.is_long[i]; });
    go_on(state);
    state.receives.test([&](std::size_t i, const MPI_Status& status) {
      const Piece& piece = state.received[i];
      const Message& m = state.round->in[piece.message];
      if (m.varies) {
        int bytes = 0;
        check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
        state.arrivals.add(piece.message, bytes);
      }
      state.arrivals.came(m.chunk);
    });
  }

  int me_, ranks_;
  bool crowded_;
  int long_pieces_ = 0;  ///< under way
  Index piece_bytes_;
  Traffic traffic_;
  Buffers buffers_;
  std::vector<State> rounds_;
  std::vector<State*> last_of_buffer_;  ///< the last round that used each send buffer
  MpiComm comm_;
  MpiSum sum_;
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
  return comm.kind() == "mpi" ? std::string() : fmt::format("serves ranks of an MPI communicator, but the group is of kind {}", comm.kind());
}

std::unique_ptr<Channel> MpiP2p::open(const Comm& comm, const Traffic& traffic) const {
  return std::make_unique<P2pChannel>(comm, traffic, piece_bytes_);
}

const Transport& mpi_p2p_transport() {
  static const MpiP2p transport;
  return transport;
}

}  // namespace shardfft
