#include "transport/shared/shared_segment.hpp"

#include <algorithm>
#include <chrono>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "transport/missing.hpp"
#include "transport/shared/array_pool.hpp"
#include "transport/shared/peer_wait.hpp"
#include "transport/shared/segment_plan.hpp"
#include "transport/shared/segment_rounds.hpp"
#include "transport/shared/segment_sum.hpp"
#include "transport/shared/segment_words.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace shardfft {
namespace {

class SharedSegmentChannel final : public Channel {
 public:
  SharedSegmentChannel(std::string_view transport, const Comm& comm, const Traffic& traffic, const MakeSegments& make)
      : transport_(transport),
        me_(comm.rank()),
        ranks_(comm.size()),
        plan_(traffic, ranks_),
        made_(make(comm, {plan_.bytes, ArrayPool::segment_bytes(traffic.array_bytes)},
                   [&](std::byte* mine) { write_table(plan_, mine, traffic); })),
        segments_(std::move(made_.inboxes)),
        words_(plan_, *segments_, me_),
        peers_(transport, comm, *segments_, words_),
        sum_(ranks_, words_, peers_),
        uses_of_slot_(static_cast<std::size_t>(plan_.slots)),
        taken_(uses_of_slot_.size()),
        huge_pages_(traffic.huge_pages) {
    if (made_.arrays)
      arrays_ = std::make_shared<ArrayPool>(std::move(made_.arrays), traffic.array_bytes, me_, huge_pages_);
    collectively(comm, [&] { rounds_ = find_rounds(plan_, words_, traffic); });
  }

  SharedSegmentChannel(const SharedSegmentChannel&) = delete;
  ~SharedSegmentChannel() override { end(/*in_run=*/false, {}); }

  void end(bool, std::shared_ptr<const void>) override { words_.closed(me_).value.store(1, std::memory_order_release); }

  std::string_view path_to(int) const override { return transport_; }
  Index private_bytes() const override { return 0; }
  Index shared_bytes() const override { return plan_.bytes; }
  void bind(std::byte*) override {}
  std::byte* out(int round, std::size_t i) const override { return at(round).out[i].at; }
  const std::byte* in(int round, std::size_t i) const override { return at(round).in[i].at; }

  // The memory of a slot is taken by its owner, so that it lies near its reader. A rank that is alone leaves that to
  // the threads of its sweeps.
  void prepare(int round) override {
    const auto slot = static_cast<std::size_t>(at(round).slot);
    if (ranks_ == 1 || plan_.slot_bytes[slot] < small_page || taken_[slot]) return;
    segments_->of(me_).populate(plan_.slot_at[slot], plan_.slot_bytes[slot], huge_pages_);
    taken_[slot] = true;
  }

  void handshake(const Comm&, std::byte mine, std::span<std::byte> all) override {
    ++runs_;
    words_.said(me_, runs_).value.store(runs_ << 8 | std::to_integer<std::uint64_t>(mine), std::memory_order_release);
    Stall stall = peers_.stall();
    for (int step = 0; step < ranks_; ++step) {
      const int peer = (me_ + step) % ranks_;
      const Counter& word = words_.said(peer, runs_);
      peers_.await(peer, word.value, runs_ << 8, stall, [&] { return not_begun(); });
      all[static_cast<std::size_t>(peer)] = static_cast<std::byte>(word.value.load(std::memory_order_relaxed) & 0xff);
    }
  }

  bool ready(int round) override {
    const SegmentRound& state = at(round);
    const std::uint64_t uses = uses_of(state.slot);
    const auto late = std::find_if(state.readers.begin(), state.readers.end(), [&](const Watched& reader) {
      return reader.counter->value.load(std::memory_order_acquire) < uses;
    });
    if (late == state.readers.end()) return true;
    ask_after(*late, uses);
    return false;
  }

  void begin(int round) override {
    SegmentRound& state = at(round);
    drain(round);
    ++uses_of(state.slot);
    ++state.uses;
    state.here = 0;
    grace_left_ = PeerWait::grace;
    for (const auto& message : state.out)
      if (message.now) message.now->store(message.most, std::memory_order_relaxed);
  }

  void shrink(int round, std::size_t i, Index bytes) override {
    at(round).out[i].now->store(bytes, std::memory_order_relaxed);
  }  // send() releases it

  void send(int round, int) override {
#if defined(__x86_64__)
    _mm_sfence();  // non-temporal stores are not ordered by the release below
#endif
    Counter& sent = words_.sent(me_, round);
    sent.value.store(sent.value.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  void progress(int) override {}

  void drain(int round) override {
    const SegmentRound& state = at(round);
    const std::uint64_t uses = uses_of(state.slot);
    Stall stall = peers_.stall();
    for (const Watched& reader : state.readers)
      peers_.await(reader.rank, reader.counter->value, uses, stall, [&] { return owed(unread(round)); });
  }

  bool has_arrays() const override { return arrays_ != nullptr; }
  std::shared_ptr<std::byte> take_array() override { return arrays_ ? arrays_->take() : nullptr; }
  int array_number(const void* p) const override { return arrays_ ? arrays_->number_of(p) : 0; }
  Index array_distance(int peer) const override { return arrays_->distance_to(peer); }

  bool arrived(int round) override { return arrived(round, static_cast<int>(at(round).chunks) - 1); }
  void wait(int round) override { wait(round, static_cast<int>(at(round).chunks) - 1); }

  bool arrived(int round, int chunk) override {
    SegmentRound& state = at(round);
    for (const std::size_t end = state.end_of_chunk[static_cast<std::size_t>(chunk)]; state.here < end; ++state.here) {
      const Watched& source = state.sources[state.here];
      if (const std::uint64_t wanted = state.chunks_before() + source.chunks;
          source.counter->value.load(std::memory_order_acquire) < wanted) {
        ask_after(source, wanted);
        return false;
      }
    }
    return true;
  }

  void wait(int round, int chunk) override {
    SegmentRound& state = at(round);
    Stall stall = peers_.stall();
    for (const std::size_t end = state.end_of_chunk[static_cast<std::size_t>(chunk)]; state.here < end; ++state.here) {
      const Watched& source = state.sources[state.here];
      peers_.await(source.rank, source.counter->value, state.chunks_before() + source.chunks, stall,
                   [&] { return owed(missing(round, chunk), round); });
    }
  }

  std::vector<Message> missing(int round, int chunk) const override {
    const SegmentRound& state = at(round);
    std::vector<Message> late;
    for (std::size_t i = state.here; i < state.end_of_chunk[static_cast<std::size_t>(chunk)]; ++i)
      if (const Watched& source = state.sources[i];
          source.rank != me_ && is_below(source, state.chunks_before() + source.chunks))
        late.push_back({source.rank, static_cast<int>(source.chunks) - 1, 0, source.bytes});
    return late;
  }
  std::vector<int> unread(int round) const override {
    const SegmentRound& state = at(round);
    std::vector<int> late;
    for (const Watched& reader : state.readers)
      if (is_below(reader, uses_of_slot_[static_cast<std::size_t>(state.slot)])) late.push_back(reader.rank);
    return late;
  }

  Index received(int round, std::size_t i) const override {
    const auto& message = at(round).in[i];
    return message.now ? message.now->load(std::memory_order_relaxed) : message.most;
  }

  void release(int round) override {
    const Index slot = at(round).slot;
    words_.released(me_, slot).value.store(uses_of(slot), std::memory_order_release);
  }

  void start_sum(std::span<const double> mine) override { sum_.start(mine); }
  bool summed(std::span<double> total) override { return sum_.done(total); }

 private:
  [[nodiscard]] SegmentRound& at(int round) { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] const SegmentRound& at(int round) const { return rounds_[static_cast<std::size_t>(round)]; }
  [[nodiscard]] std::uint64_t& uses_of(Index slot) { return uses_of_slot_[static_cast<std::size_t>(slot)]; }

  [[nodiscard]] static bool is_below(const Watched& peer, std::uint64_t target) {
    return peer.counter->value.load(std::memory_order_acquire) < target;
  }
  [[nodiscard]] std::vector<Owed> not_begun() const {
    std::vector<Owed> late;
    for (int peer = 0; peer < ranks_; ++peer)
      if (words_.said(peer, runs_).value.load(std::memory_order_acquire) < runs_ << 8)
        late.emplace_back(peer, "has not begun this run");
    return late;
  }

  // The caller of what does not wait comes again and again.
  void ask_after(const Watched& peer, std::uint64_t target) {
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(1)) return;
    asked_ = now;
    peers_.require_alive(peer.rank, peer.counter->value, target, grace_left_);
  }

  std::string_view transport_;
  int me_, ranks_;
  SegmentPlan plan_;
  MadeSegments made_;
  std::unique_ptr<Segments> segments_;
  SegmentWords words_;
  PeerWait peers_;
  SegmentSum sum_;
  std::shared_ptr<ArrayPool> arrays_{};
  std::vector<SegmentRound> rounds_{};
  std::vector<std::uint64_t> uses_of_slot_;  ///< so far, by any round
  std::vector<bool> taken_;                  ///< the memory of the slot
  bool huge_pages_;
  int grace_left_ = PeerWait::grace;
  std::chrono::steady_clock::time_point asked_{};
  std::uint64_t runs_ = 0;  ///< so far, this one included
};

}  // namespace

std::unique_ptr<Channel> open_shared_segment(std::string_view transport, const Comm& comm, const Traffic& traffic,
                                             const MakeSegments& make) {
  return std::make_unique<SharedSegmentChannel>(transport, comm, traffic, make);
}

}  // namespace shardfft
