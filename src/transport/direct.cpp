#include "transport/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "support/comm_impl.hpp"
#include "support/patience.hpp"
#include "transport/array_pool.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace shardfft {
namespace {

struct alignas(64) Counter {
  std::atomic<std::uint64_t> value{0};
};

/// What a reader tells about one message to it.
struct Entry {
  std::int64_t at = 0;  ///< bytes from the start of the reader's segment
  std::int64_t bytes = 0;
};

Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

/// Sizes and places in a segment. Up to the table they are the same on all ranks.
struct Plan {
  Plan(const Traffic& traffic, int ranks_in_group) : ranks(ranks_in_group), rounds(static_cast<Index>(traffic.rounds.size())) {
    std::vector<Index> slot_bytes;
    Index messages = 0;
    for (const Round& round : traffic.rounds) {
      const auto slot = static_cast<std::size_t>(round.slot);
      slot_bytes.resize(std::max(slot_bytes.size(), slot + 1));
      slot_bytes[slot] = std::max(slot_bytes[slot], round.inbox_bytes);
      messages += static_cast<Index>(round.in.size());
    }
    slots = static_cast<Index>(slot_bytes.size());
    bytes = entries_at() + messages * static_cast<Index>(sizeof(Entry));
    for (const Index wanted : slot_bytes) {
      slot_at.push_back(round_up(bytes, wanted >= 2 * huge_page ? huge_page : wanted >= small_page ? small_page : 64));
      bytes = slot_at.back() + wanted;
    }
  }
  [[nodiscard]] Index said_at(std::uint64_t run) const { return (1 + static_cast<Index>(run % 2)) * static_cast<Index>(sizeof(Counter)); }
  [[nodiscard]] Index sent_at(Index round) const { return (3 + round) * static_cast<Index>(sizeof(Counter)); }
  [[nodiscard]] Index released_at(Index slot) const { return sent_at(rounds + slot); }
  /// For every round and source, the number of the first entry (int64).
  [[nodiscard]] Index first_at() const { return released_at(slots); }
  [[nodiscard]] Index entries_at() const { return round_up(first_at() + rounds * ranks * static_cast<Index>(sizeof(std::int64_t)), 64); }

  Index ranks, rounds, slots = 0, bytes = 0;
  std::vector<Index> slot_at;
};

class DirectChannel final : public Channel {
 public:
  DirectChannel(std::string_view transport, const Comm& comm, const Traffic& traffic, const MakeSegments& make)
      : transport_(transport), comm_(comm), plan_(traffic, comm.size()), segments_(make(comm, plan_.bytes, Use::inbox)), rounds_(traffic.rounds.size()),
        uses_of_slot_(static_cast<std::size_t>(plan_.slots)) {
    write_own_segment(traffic);
    if (traffic.array_bytes > 0) make_arrays(traffic.array_bytes, make);
    comm_.barrier();
    collectively(comm_, [&] { read_tables(traffic); });
  }

  ~DirectChannel() override { own(0)->value.store(1, std::memory_order_release); }

  std::string_view path_to(int) const override { return transport_; }
  Index private_bytes() const override { return 0; }
  Index shared_bytes() const override { return plan_.bytes; }
  void bind(std::byte*) override {}
  std::byte* out(int round, std::size_t i) const override { return at(round).out[i]; }
  const std::byte* in(int round, std::size_t i) const override { return at(round).in[i]; }

  // Peers write to the slots once all have said something: the first time is the time to take the memory, by its owner, so that it lies near its reader.
  void tell_all(const Comm&, std::byte mine, std::span<std::byte> all) override {
    if (runs_++ == 0 && comm_.size() > 1) segments_->of(comm_.rank()).populate(0, segments_->of(comm_.rank()).bytes());  // alone, the threads of the sweeps do that themselves
    const Index said = plan_.said_at(runs_);
    own(said)->value.store(runs_ << 8 | std::to_integer<std::uint64_t>(mine), std::memory_order_release);
    for (int step = 0; step < comm_.size(); ++step) {
      const int peer = (comm_.rank() + step) % comm_.size();
      const Counter& word = *counter_of(peer, said);
      await(peer, word, runs_ << 8);
      all[static_cast<std::size_t>(peer)] = static_cast<std::byte>(word.value.load(std::memory_order_relaxed) & 0xff);
    }
  }

  bool ready(int round) override {
    const State& state = at(round);
    const std::uint64_t uses = uses_of_slot_[static_cast<std::size_t>(state.slot)];
    return std::all_of(state.readers.begin(), state.readers.end(),
                       [&](const Watched& reader) { return reader.counter->value.load(std::memory_order_acquire) >= uses; });
  }

  void begin(int round) override {
    State& state = at(round);
    std::uint64_t& uses = uses_of_slot_[static_cast<std::size_t>(state.slot)];
    drain(round);
    ++uses;
    ++state.uses;
    state.sources_here = 0;
  }

  void send(int round, int) override {
#if defined(__x86_64__)
    _mm_sfence();  // streamed stores are not ordered by the release below
#endif
    Counter* sent = own(plan_.sent_at(round));
    sent->value.store(sent->value.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  void progress(int) override {}

  void drain(int round) override {
    const State& state = at(round);
    const std::uint64_t uses = uses_of_slot_[static_cast<std::size_t>(state.slot)];
    for (const Watched& reader : state.readers) await(reader.rank, *reader.counter, uses);
  }

  bool has_arrays() const override { return arrays_ != nullptr; }
  std::shared_ptr<std::byte> take_array() override { return arrays_ ? arrays_->take() : nullptr; }
  int array_number(const void* p) const override { return arrays_ ? arrays_->number_of(p) : 0; }
  Index array_distance(int peer) const override { return arrays_->distance_to(peer); }

  bool arrived(int round) override {
    State& state = at(round);
    for (; state.sources_here < state.sources.size(); ++state.sources_here) {
      const Watched& source = state.sources[state.sources_here];
      if (source.counter->value.load(std::memory_order_acquire) < state.chunks_before() + source.chunks) return false;
    }
    return true;
  }

  void wait(int round) override {
    State& state = at(round);
    for (; state.sources_here < state.sources.size(); ++state.sources_here) {
      const Watched& source = state.sources[state.sources_here];
      await(source.rank, *source.counter, state.chunks_before() + source.chunks);
    }
  }

  void release(int round) override {
    const Index slot = at(round).slot;
    own(plan_.released_at(slot))->value.store(uses_of_slot_[static_cast<std::size_t>(slot)], std::memory_order_release);
  }

 private:
  /// A counter of another rank that this one waits for.
  struct Watched {
    int rank = 0;
    const Counter* counter = nullptr;
    std::uint64_t chunks = 0;  ///< how many of a run's chunks must have been sent; for sources
  };
  struct State {
    [[nodiscard]] std::uint64_t chunks_before() const { return (uses - 1) * chunks; }
    std::vector<std::byte*> out;
    std::vector<const std::byte*> in;
    std::vector<Watched> readers, sources;
    std::uint64_t chunks = 1, uses = 0;
    std::size_t sources_here = 0;  ///< of the current use: sources known to have sent everything
    Index slot = 0;
  };

  [[nodiscard]] std::byte* segment_of(int rank) const { return segments_->of(rank).data(); }
  [[nodiscard]] State& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] const State& at(int round) const { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] Counter* counter_of(int rank, Index offset) const { return reinterpret_cast<Counter*>(segment_of(rank) + offset); }
  [[nodiscard]] Counter* own(Index offset) const { return counter_of(comm_.rank(), offset); }

  // Arrays are a gain that a plan can do without.
  void make_arrays(Index array_bytes, const MakeSegments& make) {
    try {
      arrays_ = std::make_shared<ArrayPool>(make(comm_, ArrayPool::segment_bytes(array_bytes), Use::arrays), array_bytes, comm_.rank());
    } catch (const Error&) {  // on all ranks alike
    }
  }

  void write_own_segment(const Traffic& traffic) {
    std::byte* segment = segment_of(comm_.rank());
    for (Index at = 0; at < plan_.first_at(); at += static_cast<Index>(sizeof(Counter))) new (segment + at) Counter;
    auto* first = reinterpret_cast<std::int64_t*>(segment + plan_.first_at());
    auto* entries = reinterpret_cast<Entry*>(segment + plan_.entries_at());
    std::int64_t n = 0;
    for (const Round& round : traffic.rounds) {
      std::size_t i = 0;
      for (int source = 0; source < comm_.size(); ++source) {
        *first++ = n;
        for (; i < round.in.size() && round.in[i].peer == source; ++i, ++n)
          entries[n] = {plan_.slot_at[static_cast<std::size_t>(round.slot)] + round.in[i].offset, round.in[i].bytes};
      }
    }
  }

  void read_tables(const Traffic& traffic) {
    for (int r = 0; r < static_cast<int>(traffic.rounds.size()); ++r) {
      const Round& round = traffic.rounds[static_cast<std::size_t>(r)];
      State& state = at(r);
      state.slot = round.slot;
      state.chunks = static_cast<std::uint64_t>(round.chunks);
      for (const Message& m : round.in)
        state.in.push_back(segment_of(comm_.rank()) + plan_.slot_at[static_cast<std::size_t>(round.slot)] + m.offset);
      find_inboxes(r, round, state);
      find_counters(r, round, state);
    }
  }

  /// Where in the readers' segments my messages go.
  void find_inboxes(int r, const Round& round, State& state) const {
    std::vector<std::int64_t> next(static_cast<std::size_t>(comm_.size()), -1);
    for (const Message& m : round.out) {
      const std::byte* segment = segment_of(m.peer);
      std::int64_t& n = next[static_cast<std::size_t>(m.peer)];
      if (n < 0) n = reinterpret_cast<const std::int64_t*>(segment + plan_.first_at())[static_cast<Index>(r) * comm_.size() + comm_.rank()];
      const Entry entry = reinterpret_cast<const Entry*>(segment + plan_.entries_at())[n++];
      if (entry.bytes != m.bytes)
        throw Error(Status::internal, fmt::format("round {}: rank {} sends {} bytes to rank {}, which expects {}", r, comm_.rank(), m.bytes, m.peer, entry.bytes));
      state.out.push_back(segment_of(m.peer) + entry.at);
    }
  }

  void find_counters(int r, const Round& round, State& state) const {
    std::vector<bool> is_reader(static_cast<std::size_t>(comm_.size()));
    for (const Message& m : round.out) is_reader[static_cast<std::size_t>(m.peer)] = m.peer != comm_.rank();
    for (int step = 1; step < comm_.size(); ++step) {
      const int peer = (comm_.rank() + step) % comm_.size();
      if (is_reader[static_cast<std::size_t>(peer)]) state.readers.push_back({peer, counter_of(peer, plan_.released_at(round.slot))});
    }
    for (const Message& m : round.in) {  // by source, then chunk: the last one of a source counts
      if (state.sources.empty() || state.sources.back().rank != m.peer) state.sources.push_back({m.peer, counter_of(m.peer, plan_.sent_at(r))});
      state.sources.back().chunks = static_cast<std::uint64_t>(m.chunk) + 1;
    }
  }

  void await(int rank, const Counter& counter, std::uint64_t target) const {
    Patience patience(/*sleeps=*/true);
    int grace = 200;  // milliseconds
    const auto done = [&] { return counter.value.load(std::memory_order_acquire) >= target; };
    while (!done()) {
      if (!patience.pause()) continue;
      const bool closed = counter_of(rank, 0)->value.load(std::memory_order_acquire) != 0;
      if (done()) return;  // it sent and left; the words below would be made for nothing, and running allocates nothing
      if (closed && grace-- > 0) {  // it may be leaving because of an error that says more, as soon as it is known
        comm_.impl().check_peers();
        continue;
      }
      const std::string end = closed ? "it has given up the plan" : segments_->what_ended(rank);
      if (!end.empty() && !done()) throw Error(Status::transport_failed, fmt::format("{}: rank {} will send nothing more: {}", transport_, rank, end));
      comm_.impl().check_peers();
    }
  }

  std::string_view transport_;
  Comm comm_;
  Plan plan_;
  std::unique_ptr<Segments> segments_;
  std::shared_ptr<ArrayPool> arrays_{};
  std::vector<State> rounds_;
  std::vector<std::uint64_t> uses_of_slot_;  ///< so far, by any round
  std::uint64_t runs_ = 0;                   ///< so far, this one included
};

}  // namespace

std::unique_ptr<Channel> open_direct(std::string_view transport, const Comm& comm, const Traffic& traffic, const MakeSegments& make) {
  return std::make_unique<DirectChannel>(transport, comm, traffic, make);
}

}  // namespace shardfft
