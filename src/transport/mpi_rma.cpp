// One-sided messages: each is put into its own place in the reader's window, of the size that it has at most, in the order of a ring (Cayrols et al., IEEE CLUSTER 2022), and told with a
// short message when it is there.
//
//   writer   put, chunk by chunk as the sweep stores them ; flush ; notice {use of the round, bytes}
//   reader   notice ; sync ; read ; grant: the slot may be written again
//
// Notices and grants are messages and no words in the window, because waiting for a word that a put changes means something in MPI's unified memory model only, and because MPI does no work for puts
// while a rank looks at memory; it does while a rank tests a receive. Puts of a chunk are flushed together, before those of the next chunk are begun: a flush waits for all puts to a
// rank, and neither should it wait for later ones nor should all ranks pour everything into the network at once.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "support/comm_mpi.hpp"
#include "transport/arrivals.hpp"
#include "transport/buffers.hpp"
#include "transport/mpi_requests.hpp"
#include "transport/mpi_sum.hpp"
#include "transport/mpi_window.hpp"
#include "transport/mpi_window_places.hpp"
#include "transport/registered.hpp"
#include "transport/ring.hpp"

namespace shardfft {
namespace {

constexpr Index piece_bytes = Index{1} << 30;  // MPI counts in an int
constexpr std::size_t most_in_flight = 16;     // messages

class RmaChannel final : public Channel {
 public:
  RmaChannel(const Comm& comm, Traffic traffic)
      : me_(comm.rank()), ranks_(comm.size()), crowded_(is_crowded(comm)), traffic_(std::move(traffic)), places_(traffic_, me_),
        buffers_(places_.private_part, me_, /*overlap=*/true), rounds_(traffic_.rounds.size()), last_of_buffer_(buffers_.send_buffers()),
        comm_(duplicate(mpi_comm_of(comm))), window_(comm, comm_.get(), places_.window_bytes) {
    const auto targets = tell_places(comm, comm_.get(), traffic_, places_);
    collectively(comm, [&] {
      for (std::size_t r = 0; r < rounds_.size(); ++r) describe(r, targets[r]);
      for (std::size_t r = 0; r < rounds_.size(); ++r) make_notices(r);
      make_grants();
    });
  }

  RmaChannel(const RmaChannel&) = delete;
  ~RmaChannel() override {
    if (!mpi_is_running()) return;
    const bool broke_off = rounds_in_use_ > 0;
    if (broke_off)
      leave();
    else
      for (Slot& slot : slots_) slot.granted.finish(crowded_);  // no message may be left that nobody receives
    if (!sum_.settle() || broke_off) comm_.forget();  // as in mpi_p2p.cpp
    for (State& state : rounds_) {
      state.heard.free(/*receives=*/true);
      state.told.free(/*receives=*/false);
    }
    for (Slot& slot : slots_) {
      slot.granted.free(/*receives=*/true);
      slot.grants.free(/*receives=*/false);
    }
  }

  std::string_view path_to(int) const override { return "mpi_rma"; }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return window_.bytes(); }
  void bind(std::byte* memory) override { memory_ = memory; }
  std::byte* out(int round, std::size_t i) const override { return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i); }
  const std::byte* in(int round, std::size_t i) const override {
    const auto r = static_cast<std::size_t>(round);
    const Index at = places_.in_at[r][i];
    return traffic_.rounds[r].in[i].peer == me_ ? memory_ + buffers_.inbox_at(r) + at : window_.data() + at;
  }

  // Of three rounds under way the first would be forgotten.
  bool ready(int round) override {
    progress(round);
    slot_of(round).granted.test();
    return slot_of(round).granted.idle() && all_put(last_of_buffer(round)) && all_put(previous_);
  }
  void begin(int round) override {
    Patience patience(crowded_);
    for (; !ready(round);) patience.pause();
    State& state = at(round);
    last_of_buffer(round) = &state;
    previous_ = std::exchange(current_, &state);
    ++state.uses;
    ++rounds_in_use_;
    state.chunks_sent = 0;
    state.given = state.begun = state.finished = 0;
    state.arrivals.begin();
    state.sizes.begin(state.arrivals);
    start(state.heard);
    start(slot_of(round).granted);
  }
  void shrink(int round, std::size_t i, Index bytes) override {
    State& state = at(round);
    state.sizes.set(i, bytes, state.arrivals);
  }
  void send(int round, int chunk) override {
    State& state = at(round);
    state.given = state.end_of_chunk[static_cast<std::size_t>(chunk)];
    state.arrivals.sent(chunk);
    ++state.chunks_sent;
    advance(state);
  }
  void progress(int) override {
    for (State* state : {previous_, current_}) {
      if (!state) continue;
      advance(*state);
      listen(*state);
    }
  }
  bool arrived(int round) override {
    progress(round);
    const State& state = at(round);
    return state.chunks_sent == state.round->chunks && state.arrivals.all_here() && all_put(&state);
  }
  void wait(int round) override {
    Patience patience(crowded_);
    for (; !arrived(round);) patience.pause();
  }
  bool arrived(int round, int chunk) override {
    State& state = at(round);
    if (!state.arrivals.here(chunk)) progress(round);
    return state.arrivals.here(chunk);
  }
  void wait(int round, int chunk) override {
    Patience patience(crowded_);
    for (; !at(round).arrivals.here(chunk); patience.pause()) progress(round);
  }
  Index received(int round, std::size_t i) const override { return rounds_[static_cast<std::size_t>(round)].arrivals.bytes(i); }
  void release(int round) override {
    Slot& slot = slot_of(round);
    slot.grants.finish(crowded_);  // of the last use: empty messages, which MPI holds back for nobody
    start(slot.grants);
    --rounds_in_use_;
  }

  void start_sum(std::span<const double> mine) override { sum_.start(comm_.get(), mine); }
  bool summed(std::span<double> total) override { return sum_.done(total); }

 private:
  /// What the writer says about a message that is there.
  struct Notice {
    std::int64_t use = 0, bytes = 0;
  };
  struct Put {
    std::size_t message = 0;
    int peer = 0, chunk = 0;
    Index at = 0;  ///< in the window of the peer
  };
  struct State {
    const Round* round = nullptr;
    std::vector<Put> puts;                  ///< by chunk, then ring
    std::vector<std::size_t> end_of_chunk;  ///< in puts
    std::vector<std::size_t> in_of_notice;  ///< message of each notice to this rank
    std::vector<Notice> hear, tell;         ///< of each message from others, of each put
    MpiRequests heard, told, data;
    Arrivals arrivals;
    Sizes sizes;
    int chunks_sent = 0;  ///< of the current use
    std::size_t given = 0, begun = 0, finished = 0;  ///< puts that may be begun, are under way or more, are there
    std::int64_t uses = 0;
  };
  struct Slot {
    MpiRequests granted, grants;  ///< from readers, to writers
  };

  [[nodiscard]] State& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] Slot& slot_of(int round) { return slots_[static_cast<std::size_t>(traffic_.rounds[static_cast<std::size_t>(round)].slot)]; }
  [[nodiscard]] State*& last_of_buffer(int round) { return last_of_buffer_[buffers_.send_buffer(static_cast<std::size_t>(round))]; }
  [[nodiscard]] static bool all_put(const State* state) { return !state || (state->finished == state->puts.size() && state->told.idle()); }

  /// A run broke off, and who knows where the others are. What can still be put is, so that MPI reads no memory that is gone.
  void leave() {
    window_.abandon();
    Patience patience(/*sleeps=*/true);
    const auto still = [](const State& state) { return !state.data.idle(); };
    for (int milliseconds = 0; milliseconds < 100 && std::any_of(rounds_.begin(), rounds_.end(), still); milliseconds += patience.pause())
      for (State& state : rounds_) state.data.test();
  }

  static void start(MpiRequests& requests) {
    for (MPI_Request& request : requests.all) {
      check_mpi(MPI_Start(&request), "MPI_Start");
      requests.started(1);
    }
  }

  void describe(std::size_t r, const std::vector<Index>& targets) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    state.round = &round;
    state.arrivals = Arrivals(round, me_);
    state.sizes = Sizes(round, me_);
    for (std::size_t i = 0; i < round.out.size(); ++i)
      if (const Message& m = round.out[i]; m.peer != me_) state.puts.push_back({i, m.peer, m.chunk, targets[i]});
    const auto turn = [&](const Put& put) { return std::pair(put.chunk, step_of(me_, put.peer, ranks_)); };
    std::sort(state.puts.begin(), state.puts.end(), [&](const Put& a, const Put& b) { return turn(a) < turn(b); });
    for (int chunk = 0; chunk < round.chunks; ++chunk)
      state.end_of_chunk.push_back(static_cast<std::size_t>(std::count_if(state.puts.begin(), state.puts.end(), [&](const Put& put) { return put.chunk <= chunk; })));
  }

  void make_notices(std::size_t r) {
    const Round& round = traffic_.rounds[r];
    State& state = rounds_[r];
    const int tag = static_cast<int>(r), bytes = sizeof(Notice);
    state.hear.resize(round.in.size());
    for (std::size_t i = 0; i < round.in.size(); ++i) {  // in the order of chunks for each source, as it sends them
      if (round.in[i].peer == me_) continue;
      state.in_of_notice.push_back(i);
      state.arrivals.await(round.in[i].chunk);
      check_mpi(MPI_Recv_init(&state.hear[i], bytes, MPI_BYTE, round.in[i].peer, tag, comm_.get(), &state.heard.all.emplace_back()), "MPI_Recv_init");
    }
    state.tell.resize(state.puts.size());
    for (std::size_t i = 0; i < state.puts.size(); ++i)
      check_mpi(MPI_Send_init(&state.tell[i], bytes, MPI_BYTE, state.puts[i].peer, tag, comm_.get(), &state.told.all.emplace_back()), "MPI_Send_init");
    Index pieces = 0;
    for (const Put& put : state.puts) pieces = std::max(pieces, (round.out[put.message].bytes + piece_bytes - 1) / piece_bytes);
    state.data.all.assign(std::min(state.puts.size(), most_in_flight) * static_cast<std::size_t>(pieces), MPI_REQUEST_NULL);
    for (MpiRequests* requests : {&state.heard, &state.told, &state.data}) requests->reserve();
  }

  /// One empty message for each use of a slot, from every rank to all that ever write there.
  void make_grants() {
    for (std::size_t r = 0; r < traffic_.rounds.size(); ++r) slots_.resize(std::max(slots_.size(), static_cast<std::size_t>(traffic_.rounds[r].slot) + 1));
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      std::vector<bool> reads(static_cast<std::size_t>(ranks_)), writes(reads);
      for (const Round& round : traffic_.rounds) {
        if (static_cast<std::size_t>(round.slot) != s) continue;
        for (const Message& m : round.out) reads[static_cast<std::size_t>(m.peer)] = m.peer != me_;
        for (const Message& m : round.in) writes[static_cast<std::size_t>(m.peer)] = m.peer != me_;
      }
      const int tag = static_cast<int>(traffic_.rounds.size() + s);
      for (int peer = 0; peer < ranks_; ++peer) {
        if (reads[static_cast<std::size_t>(peer)])
          check_mpi(MPI_Recv_init(nullptr, 0, MPI_BYTE, peer, tag, comm_.get(), &slots_[s].granted.all.emplace_back()), "MPI_Recv_init");
        if (writes[static_cast<std::size_t>(peer)])
          check_mpi(MPI_Send_init(nullptr, 0, MPI_BYTE, peer, tag, comm_.get(), &slots_[s].grants.all.emplace_back()), "MPI_Send_init");
      }
      slots_[s].granted.reserve();
      slots_[s].grants.reserve();
    }
  }

  /// Begins the next puts of those that may be, tells of those that are there.
  void advance(State& state) {
    for (;;) {
      state.data.test();
      if (!state.data.idle()) return;
      if (state.finished < state.begun) tell(state);
      if (state.begun == state.given) return state.told.test();
      put_some(state);
    }
  }

  void put_some(State& state) {
    const std::size_t first = state.begun;
    std::size_t request = 0;
    for (; state.begun < state.given && state.begun - first < most_in_flight && state.puts[state.begun].chunk == state.puts[first].chunk; ++state.begun) {
      const Put& put = state.puts[state.begun];
      const std::byte* from = memory_ + buffers_.out_at(static_cast<std::size_t>(state.round - traffic_.rounds.data()), put.message);
      const Index bytes = state.sizes.of(put.message);
      for (Index done = 0; done < bytes; done += piece_bytes) {
        window_.put(from + done, std::min(piece_bytes, bytes - done), put.peer, put.at + done, &state.data.all[request++]);
        state.data.started(1);
      }
    }
  }

  void tell(State& state) {
    for (std::size_t i = state.finished; i < state.begun; ++i) {
      const Put& put = state.puts[i];
      if (state.sizes.of(put.message) > 0) window_.flush(put.peer);
      state.tell[i] = {state.uses, state.sizes.of(put.message)};
      check_mpi(MPI_Start(&state.told.all[i]), "MPI_Start");
      state.told.started(1);
    }
    state.finished = state.begun;
  }

  void listen(State& state) {
    bool heard = false;
    state.heard.test([&](std::size_t i, const MPI_Status&) {
      const std::size_t message = state.in_of_notice[i];
      const Notice& notice = state.hear[message];
      const Message& m = state.round->in[message];
      if (notice.use != state.uses)
        throw Error(Status::internal, fmt::format("mpi_rma: rank {} tells of use {} of a round, in use {}", m.peer, notice.use, state.uses));
      state.arrivals.set(message, notice.bytes);
      state.arrivals.came(m.chunk);
      heard = true;
    });
    if (heard) window_.sync();
  }

  int me_, ranks_;
  bool crowded_;
  Traffic traffic_;
  WindowPlaces places_;
  Buffers buffers_;
  std::vector<State> rounds_;
  std::vector<Slot> slots_;
  std::vector<State*> last_of_buffer_;  ///< the last round that used each send buffer
  MpiComm comm_;
  MpiSum sum_;
  MpiWindow window_;
  std::byte* memory_ = nullptr;
  State *previous_ = nullptr, *current_ = nullptr;  ///< the last rounds that began
  int rounds_in_use_ = 0;                           ///< begun and not released
};

struct MpiRma final : Transport {
  std::string_view name() const override { return "mpi_rma"; }
  std::string library() const override { return mpi_p2p_transport().library(); }
  std::string refuses(const Comm& comm) const override { return mpi_p2p_transport().refuses(comm); }
  std::string probe(const Comm& comm) const override {
    try {
      const MpiComm copy = duplicate(mpi_comm_of(comm));
      const MpiWindow window(comm, copy.get(), 0);
      return {};
    } catch (const Error& e) {
      return e.what();
    }
  }
  const Transport* instead() const override { return &mpi_p2p_transport(); }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override { return std::make_unique<RmaChannel>(comm, traffic); }
};

}  // namespace

const Transport& mpi_rma_transport() {
  static const MpiRma transport;
  return transport;
}

}  // namespace shardfft
