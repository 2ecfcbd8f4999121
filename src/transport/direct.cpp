#include "transport/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "support/comm_impl.hpp"
#include "support/patience.hpp"
#include "transport/array_pool.hpp"
#include "transport/segment_plan.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace shardfft {
namespace {

class DirectChannel final : public Channel {
 public:
  DirectChannel(std::string_view transport, const Comm& comm, const Traffic& traffic, const MakeSegments& make)
      : transport_(transport), comm_(comm), plan_(traffic, comm.size()), segments_(make(comm, plan_.bytes, Use::inbox)), rounds_(traffic.rounds.size()),
        uses_of_slot_(static_cast<std::size_t>(plan_.slots)), taken_(uses_of_slot_.size()) {
    write_own_segment(traffic);
    if (traffic.array_bytes > 0) make_arrays(traffic.array_bytes, make);
    comm_.barrier();
    collectively(comm_, [&] { read_tables(traffic); });
  }

  ~DirectChannel() override { own(SegmentPlan::closed_at())->value.store(1, std::memory_order_release); }

  std::string_view path_to(int) const override { return transport_; }
  Index private_bytes() const override { return 0; }
  Index shared_bytes() const override { return plan_.bytes; }
  void bind(std::byte*) override {}
  std::byte* out(int round, std::size_t i) const override { return at(round).out[i].at; }
  const std::byte* in(int round, std::size_t i) const override { return at(round).in[i].at; }

  // The memory of a slot is taken by its owner, so that it lies near its reader. A rank that is alone leaves that to the threads of its sweeps.
  void prepare(int round) override {
    const auto slot = static_cast<std::size_t>(at(round).slot);
    if (comm_.size() == 1 || plan_.slot_bytes[slot] < small_page || taken_[slot]) return;
    segments_->of(comm_.rank()).populate(plan_.slot_at[slot], plan_.slot_bytes[slot]);
    taken_[slot] = true;
  }

  void tell_all(const Comm&, std::byte mine, std::span<std::byte> all) override {
    const Index said = SegmentPlan::said_at(++runs_);
    own(said)->value.store(runs_ << 8 | std::to_integer<std::uint64_t>(mine), std::memory_order_release);
    for (int step = 0; step < comm_.size(); ++step) {
      const int peer = (comm_.rank() + step) % comm_.size();
      const Counter& word = *counter_of(peer, said);
      await(peer, word.value, runs_ << 8);
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
    state.here = 0;
    for (const Outgoing& message : state.out)
      if (message.now) message.now->store(message.most, std::memory_order_relaxed);
  }

  void shrink(int round, std::size_t i, Index bytes) override { at(round).out[i].now->store(bytes, std::memory_order_relaxed); }  // send() releases it

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
    for (const Watched& reader : state.readers) await(reader.rank, reader.counter->value, uses);
  }

  bool has_arrays() const override { return arrays_ != nullptr; }
  std::shared_ptr<std::byte> take_array() override { return arrays_ ? arrays_->take() : nullptr; }
  int array_number(const void* p) const override { return arrays_ ? arrays_->number_of(p) : 0; }
  Index array_distance(int peer) const override { return arrays_->distance_to(peer); }

  bool arrived(int round) override { return arrived(round, static_cast<int>(at(round).chunks) - 1); }
  void wait(int round) override { wait(round, static_cast<int>(at(round).chunks) - 1); }

  bool arrived(int round, int chunk) override {
    State& state = at(round);
    for (const std::size_t end = state.end_of_chunk[static_cast<std::size_t>(chunk)]; state.here < end; ++state.here) {
      const Watched& source = state.sources[state.here];
      if (source.counter->value.load(std::memory_order_acquire) < state.chunks_before() + source.chunks) return false;
    }
    return true;
  }

  void wait(int round, int chunk) override {
    State& state = at(round);
    for (const std::size_t end = state.end_of_chunk[static_cast<std::size_t>(chunk)]; state.here < end; ++state.here) {
      const Watched& source = state.sources[state.here];
      await(source.rank, source.counter->value, state.chunks_before() + source.chunks);
    }
  }

  Index received(int round, std::size_t i) const override {
    const Incoming& message = at(round).in[i];
    return message.now ? message.now->load(std::memory_order_relaxed) : message.most;
  }

  // Nobody leaves numbers for the next sum but one while somebody still reads these: he has read everybody's for the next one first.
  void start_sum(std::span<const double> mine) override {
    Share& share = *share_of(comm_.rank(), ++sum_.number);
    std::copy(mine.begin(), mine.end(), share.values.begin());
    share.number.store(sum_.number, std::memory_order_release);
    sum_.ranks = 0;
    sum_.total = {};
    sum_.grace = Sum{}.grace;
  }

  bool summed(std::span<double> total) override {
    for (; sum_.ranks < comm_.size(); ++sum_.ranks) {
      const Share& share = *share_of(sum_.ranks, sum_.number);
      if (share.number.load(std::memory_order_acquire) < sum_.number) {
        ask_after(sum_.ranks, share.number);
        return false;
      }
      for (std::size_t i = 0; i < total.size(); ++i) sum_.total[i] += share.values[i];
    }
    std::copy_n(sum_.total.begin(), total.size(), total.begin());
    return true;
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
  /// Messages; `now` is null for those that do not vary.
  struct Outgoing {
    std::byte* at = nullptr;
    Index most = 0;
    std::atomic<std::int64_t>* now = nullptr;
  };
  struct Incoming {
    const std::byte* at = nullptr;
    Index most = 0;
    const std::atomic<std::int64_t>* now = nullptr;
  };
  struct State {
    [[nodiscard]] std::uint64_t chunks_before() const { return (uses - 1) * chunks; }
    std::vector<Outgoing> out;
    std::vector<Incoming> in;
    std::vector<Watched> readers, sources;  ///< sources by chunk
    std::vector<std::size_t> end_of_chunk;  ///< in sources
    std::uint64_t chunks = 1, uses = 0;
    std::size_t here = 0;  ///< of the current use: sources known to have sent
    Index slot = 0;
  };
  struct Sum {
    std::uint64_t number = 0;
    int ranks = 0;  ///< that have been added up
    std::array<double, 8> total{};
    int grace = 200;  ///< milliseconds
    std::chrono::steady_clock::time_point asked{};
  };

  [[nodiscard]] std::byte* segment_of(int rank) const { return segments_->of(rank).data(); }
  [[nodiscard]] State& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] const State& at(int round) const { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] Counter* counter_of(int rank, Index offset) const { return reinterpret_cast<Counter*>(segment_of(rank) + offset); }
  [[nodiscard]] Counter* own(Index offset) const { return counter_of(comm_.rank(), offset); }
  [[nodiscard]] Share* share_of(int rank, std::uint64_t sum) const { return reinterpret_cast<Share*>(segment_of(rank) + plan_.share_at(sum)); }
  [[nodiscard]] Entry* entries_of(int rank) const { return reinterpret_cast<Entry*>(segment_of(rank) + plan_.entries_at()); }

  // Arrays are a gain that a plan can do without.
  void make_arrays(Index array_bytes, const MakeSegments& make) {
    try {
      arrays_ = std::make_shared<ArrayPool>(make(comm_, ArrayPool::segment_bytes(array_bytes), Use::arrays), array_bytes, comm_.rank());
    } catch (const Error&) {  // on all ranks alike
    }
  }

  void write_own_segment(const Traffic& traffic) {
    std::byte* segment = segment_of(comm_.rank());
    for (Index at = 0; at < plan_.share_at(0); at += static_cast<Index>(sizeof(Counter))) new (segment + at) Counter;
    for (const std::uint64_t sum : {0, 1}) new (share_of(comm_.rank(), sum)) Share;
    auto* first = reinterpret_cast<std::int64_t*>(segment + plan_.first_at());
    Entry* entry = entries_of(comm_.rank());
    for (const Round& round : traffic.rounds) {
      std::size_t i = 0;
      for (int source = 0; source < comm_.size(); ++source) {
        *first++ = entry - entries_of(comm_.rank());
        for (; i < round.in.size() && round.in[i].peer == source; ++i) new (entry++) Entry{plan_.slot_at[static_cast<std::size_t>(round.slot)] + round.in[i].offset, round.in[i].bytes, 0};
      }
    }
  }

  void read_tables(const Traffic& traffic) {
    const Entry* mine = entries_of(comm_.rank());
    for (int r = 0; r < static_cast<int>(traffic.rounds.size()); ++r) {
      const Round& round = traffic.rounds[static_cast<std::size_t>(r)];
      State& state = at(r);
      state.slot = round.slot;
      state.chunks = static_cast<std::uint64_t>(round.chunks);
      for (const Message& m : round.in) {
        state.in.push_back({segment_of(comm_.rank()) + mine->at, m.bytes, m.varies ? &mine->now : nullptr});
        ++mine;
      }
      find_inboxes(r, round, state);
      find_readers(round, state);
      find_sources(r, round, state);
    }
  }

  /// Where in the readers' segments my messages go.
  void find_inboxes(int r, const Round& round, State& state) const {
    std::vector<std::int64_t> next(static_cast<std::size_t>(comm_.size()), -1);
    for (const Message& m : round.out) {
      std::byte* segment = segment_of(m.peer);
      std::int64_t& n = next[static_cast<std::size_t>(m.peer)];
      if (n < 0) n = reinterpret_cast<const std::int64_t*>(segment + plan_.first_at())[static_cast<Index>(r) * comm_.size() + comm_.rank()];
      Entry& entry = entries_of(m.peer)[n++];
      if (entry.bytes != m.bytes)
        throw Error(Status::internal, fmt::format("round {}: rank {} sends {} bytes to rank {}, which expects {}", r, comm_.rank(), m.bytes, m.peer, entry.bytes));
      state.out.push_back({segment + entry.at, m.bytes, m.varies ? &entry.now : nullptr});
    }
  }

  void find_readers(const Round& round, State& state) const {
    std::vector<bool> is_reader(static_cast<std::size_t>(comm_.size()));
    for (const Message& m : round.out) is_reader[static_cast<std::size_t>(m.peer)] = m.peer != comm_.rank();
    for (int step = 1; step < comm_.size(); ++step) {
      const int peer = (comm_.rank() + step) % comm_.size();
      if (is_reader[static_cast<std::size_t>(peer)]) state.readers.push_back({peer, counter_of(peer, plan_.released_at(round.slot))});
    }
  }

  void find_sources(int r, const Round& round, State& state) const {
    for (int chunk = 0; chunk < round.chunks; ++chunk) {
      for (const Message& m : round.in)
        if (m.chunk == chunk) state.sources.push_back({m.peer, counter_of(m.peer, plan_.sent_at(r)), static_cast<std::uint64_t>(chunk) + 1});
      state.end_of_chunk.push_back(state.sources.size());
    }
  }

  using Value = std::atomic<std::uint64_t>;

  void await(int rank, const Value& value, std::uint64_t target) const {
    Patience patience(/*sleeps=*/true);
    int grace = Sum{}.grace;
    while (value.load(std::memory_order_acquire) < target)
      if (patience.pause()) require_alive(rank, value, target, grace);
  }

  /// Throws when `rank` will not bring `value` to `target` any more. For once in a millisecond; `grace` is how many more a rank that gave up has to say why.
  void require_alive(int rank, const Value& value, std::uint64_t target, int& grace) const {
    const bool closed = counter_of(rank, SegmentPlan::closed_at())->value.load(std::memory_order_acquire) != 0;
    const auto done = [&] { return value.load(std::memory_order_acquire) >= target; };
    if (done()) return;  // it sent and left; the words below would be made for nothing, and running allocates nothing
    if (closed && grace-- > 0) return comm_.impl().check_peers();  // it may be leaving because of an error that says more, as soon as it is known
    const std::string end = closed ? "it has given up the plan" : segments_->what_ended(rank);
    if (!end.empty() && !done()) throw Error(Status::transport_failed, fmt::format("{}: rank {} will send nothing more: {}", transport_, rank, end));
    comm_.impl().check_peers();
  }

  /// The same for a caller who comes again and again.
  void ask_after(int rank, const Value& value) {
    const auto now = std::chrono::steady_clock::now();
    if (now - sum_.asked < std::chrono::milliseconds(1)) return;
    sum_.asked = now;
    require_alive(rank, value, sum_.number, sum_.grace);
  }

  std::string_view transport_;
  Comm comm_;
  SegmentPlan plan_;
  std::unique_ptr<Segments> segments_;
  std::shared_ptr<ArrayPool> arrays_{};
  std::vector<State> rounds_;
  std::vector<std::uint64_t> uses_of_slot_;  ///< so far, by any round
  std::vector<bool> taken_;                  ///< the memory of the slot
  std::uint64_t runs_ = 0;                   ///< so far, this one included
  Sum sum_{};                                ///< the last one
};

}  // namespace

std::unique_ptr<Channel> open_direct(std::string_view transport, const Comm& comm, const Traffic& traffic, const MakeSegments& make) {
  return std::make_unique<DirectChannel>(transport, comm, traffic, make);
}

}  // namespace shardfft
