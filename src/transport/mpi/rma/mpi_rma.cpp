// One-sided messages: each is put into its own place in the reader's window, of the size that it has at most, in the
// order of a ring (Cayrols et al., IEEE CLUSTER 2022), and told with a short message when it is there.
//
//   writer   put, chunk by chunk as the sweep stores them ; flush ; notice {use of the round, bytes}
//   reader   notice ; sync ; read ; grant: the slot may be written again
//
// Notices and grants are messages and no words in the window, because waiting for a word that a put changes means
// something in MPI's unified memory model only, and because MPI does no work for puts while a rank looks at memory; it
// does while a rank tests a receive. Puts of a chunk are flushed together, before those of the next chunk are begun: a
// flush waits for all puts to a rank, and neither should it wait for later ones nor should all ranks pour everything
// into the network at once.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_mpi.hpp"
#include "transport/arrivals.hpp"
#include "transport/buffers.hpp"
#include "transport/missing.hpp"
#include "transport/mpi/mpi_channel.hpp"
#include "transport/mpi/mpi_requests.hpp"
#include "transport/mpi/mpi_sum.hpp"
#include "transport/mpi/rma/mpi_rma_grants.hpp"
#include "transport/mpi/rma/mpi_rma_notices.hpp"
#include "transport/mpi/rma/mpi_rma_puts.hpp"
#include "transport/mpi/rma/mpi_window.hpp"
#include "transport/mpi/rma/mpi_window_places.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

class RmaChannel final : public MpiChannel {
 public:
  RmaChannel(const Comm& comm, Traffic traffic)
      : MpiChannel("mpi_rma", comm),
        me_(comm.rank()),
        crowded_(is_crowded(comm)),
        traffic_(std::move(traffic)),
        places_(traffic_, me_),
        buffers_(places_.private_part, me_, /*overlap=*/true),
        last_of_buffer_(buffers_.send_buffers()),
        window_(comm, comm_.get(), places_.window_bytes) {
    const auto targets = tell_places(comm, comm_.get(), traffic_, places_);
    collectively(comm, [&] {
      for (std::size_t r = 0; r < traffic_.rounds.size(); ++r)
        rounds_.push_back({&traffic_.rounds[r],
                           RmaPuts(traffic_, r, buffers_, targets[r], me_, comm.size()),
                           {},
                           Arrivals(traffic_.rounds[r], me_),
                           MessageSizes(traffic_.rounds[r], me_)});
      for (std::size_t r = 0; r < rounds_.size(); ++r) {
        RmaRound& state = rounds_[r];
        state.notices.make_requests(*state.round, me_, comm_.get(), static_cast<int>(r), state.arrivals);
        state.puts.make_requests(comm_.get(), static_cast<int>(r));
      }
      grants_.make_requests(traffic_, me_, comm.size(), comm_.get(), static_cast<int>(rounds_.size()));
    });
    begin_help();
  }

  RmaChannel(const RmaChannel&) = delete;
  ~RmaChannel() override { end(/*in_run=*/false, {}); }

  std::string_view path_to(int) const override { return "mpi_rma"; }
  Index private_bytes() const override { return buffers_.bytes(); }
  Index shared_bytes() const override { return window_.bytes(); }
  void bind(std::byte* memory) override { memory_ = memory; }
  std::byte* out(int round, std::size_t i) const override {
    return memory_ + buffers_.out_at(static_cast<std::size_t>(round), i);
  }
  const std::byte* in(int round, std::size_t i) const override {
    const auto r = static_cast<std::size_t>(round);
    const Index at = places_.in_at[r][i];
    return traffic_.rounds[r].in[i].peer == me_ ? memory_ + buffers_.inbox_at(r) + at : window_.data() + at;
  }

  // With three rounds under way, the first would be forgotten.
  bool ready(int round) override {
    take_over();
    progress(round);
    members_.look();
    return grants_.granted(slot_of(round)) && all_put(last_of_buffer(round)) && all_put(previous_);
  }
  void begin(int round) override {
    Backoff backoff(crowded_);
    Stall stall(watch_);
    const auto owing = [&] { return owed(grants_.unread(slot_of(round))); };
    for (; !ready(round); stall.look(backoff.pause(), owing)) help_all();
    RmaRound& state = at(round);
    last_of_buffer(round) = &state;
    previous_ = std::exchange(current_, &state);
    ++state.uses;
    ++rounds_in_use_;
    state.chunks_sent = 0;
    state.puts.begin(state.uses);
    state.arrivals.begin();
    state.sizes.begin(state.arrivals);
    state.notices.begin();
    grants_.await(slot_of(round));
  }
  void shrink(int round, std::size_t i, Index bytes) override {
    RmaRound& state = at(round);
    state.sizes.set(i, bytes, state.arrivals);
  }
  void send(int round, int chunk) override {
    take_over();
    RmaRound& state = at(round);
    state.puts.allow(chunk);
    state.arrivals.sent(chunk);
    ++state.chunks_sent;
    state.puts.advance(window_, memory_, state.sizes);
  }
  void progress(int) override { help(); }
  void help() override {
    for (RmaRound* state : {previous_, current_}) {
      if (!state) continue;
      state->puts.advance(window_, memory_, state->sizes);
      if (state->notices.listen(state->uses, *state->round, state->arrivals)) window_.sync();
    }
  }
  bool arrived(int round) override {
    take_over();
    progress(round);
    const RmaRound& state = at(round);
    const bool done = state.chunks_sent == state.round->chunks && state.arrivals.all_here() && all_put(&state);
    if (!done) members_.look();
    return done;
  }
  void wait(int round) override {
    Backoff backoff(crowded_);
    Stall stall(watch_);
    const auto owing = [&] { return late(round, at(round).round->chunks - 1); };
    for (; !arrived(round); stall.look(backoff.pause(), owing)) help_all();
  }
  bool arrived(int round, int chunk) override {
    take_over();
    RmaRound& state = at(round);
    if (!state.arrivals.here(chunk)) progress(round);
    if (!state.arrivals.here(chunk)) members_.look();
    return state.arrivals.here(chunk);
  }
  void wait(int round, int chunk) override {
    take_over();
    Backoff backoff(crowded_);
    Stall stall(watch_);
    const auto owing = [&] { return late(round, chunk); };
    for (progress(round); !at(round).arrivals.here(chunk); stall.look(backoff.pause(), owing)) {
      help_all();
      members_.look();
    }
  }
  Index received(int round, std::size_t i) const override {
    return rounds_[static_cast<std::size_t>(round)].arrivals.bytes(i);
  }
  void release(int round) override {
    grants_.give(slot_of(round), crowded_);
    --rounds_in_use_;
  }

  void start_sum(std::span<const double> mine) override {
    members_.sums(mine.size());
    sum_.start(comm_.get(), mine);
  }
  bool summed(std::span<double> total) override {
    const bool known = sum_.done(total);
    if (!known) members_.look();
    return known;
  }

 private:
  struct RmaRound {
    const Round* round = nullptr;
    RmaPuts puts;
    RmaNotices notices;
    Arrivals arrivals;
    MessageSizes sizes;
    int chunks_sent = 0;  ///< of the current use
    std::int64_t uses = 0;
  };

  [[nodiscard]] RmaRound& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] int slot_of(int round) const { return traffic_.rounds[static_cast<std::size_t>(round)].slot; }
  [[nodiscard]] RmaRound*& last_of_buffer(int round) {
    return last_of_buffer_[buffers_.send_buffer(static_cast<std::size_t>(round))];
  }
  [[nodiscard]] std::vector<Owed> late(int round, int chunk) {
    return owed(at(round).notices.missing(*at(round).round, chunk), round);
  }
  [[nodiscard]] static bool all_put(const RmaRound* state) { return !state || state->puts.all_there(); }

  [[nodiscard]] bool some_are_read() {
    bool some = false;
    for (RmaRound& state : rounds_) some = state.puts.still_reads() || some;
    return some;
  }

  /// What is under way is waited for a moment: the last grants of a run that has ended, so that no message is left that
  /// nobody receives, or the puts of one that broke off, so that MPI reads no memory that is gone. The window outlives
  /// the channel (mpi_window.hpp): others may still put there.
  void give_up(bool in_run, const std::shared_ptr<const void>& memory) override {
    const bool summed = sum_.settle(), all_done = summed && !in_run && rounds_in_use_ == 0;
    Backoff backoff(/*sleeps=*/true);
    for (int milliseconds = 0; milliseconds < 100 && (all_done ? !grants_.all_granted() : some_are_read());
         milliseconds += backoff.pause())
      help_all();
    members_.leave(all_done);
    MpiLeftovers left;
    for (RmaRound& state : rounds_) {
      state.notices.give_up(left);
      state.puts.give_up(left);
    }
    grants_.give_up(left);
    sum_.give_up(left);
    left.memory.insert(left.memory.end(), {memory, std::make_shared<std::vector<RmaRound>>(std::move(rounds_))});
    if (!all_done) left.cancel();  // else slower readers still send their grants
    (void)left.ended();
    members_.close(std::move(comm_), std::move(left));
  }

  int me_;
  bool crowded_;
  Traffic traffic_;
  WindowPlaces places_;
  MessageBuffers buffers_;
  std::vector<RmaRound> rounds_{};
  RmaGrants grants_{};
  std::vector<RmaRound*> last_of_buffer_;  ///< the last round that used each send buffer
  MpiSum sum_;
  MpiWindow window_;
  std::byte* memory_ = nullptr;
  RmaRound *previous_ = nullptr, *current_ = nullptr;  ///< the last rounds that began
  int rounds_in_use_ = 0;                              ///< begun and not released
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
    } catch (const Error& e) { return e.what(); }
  }
  const Transport* fallback() const override { return &mpi_p2p_transport(); }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    return std::make_unique<RmaChannel>(comm, traffic);
  }
};

}  // namespace

const Transport& mpi_rma_transport() {
  static const MpiRma transport;
  return transport;
}

}  // namespace shardfft
