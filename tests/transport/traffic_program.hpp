// A program that runs random traffic: each 64-byte unit carries its own address, and messages that vary have another
// size in every run. Messages in the memory of a device are stored and read by its queue, and looked at some runs
// later.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device/device.hpp"
#include "private_memory.hpp"
#include "random_traffic.hpp"
#include "support/comm/agree.hpp"

namespace shardfft {

/// What a unit of a message says about itself.
using Unit = std::array<std::int64_t, 8>;

inline Unit unit(Index from, Index to, Index round, Index chunk, Index number, Index run) {
  return {from, to, round, chunk, number, run, ~from, ~run};
}

/// An opened channel and its private memory, which is where its traffic says.
struct OpenedChannel {
  OpenedChannel(const Comm& comm, const Transport& transport, const Traffic& traffic)
      : channel(transport.open(comm, traffic)) {
    if (traffic.on) {
      device_memory = DeviceMemory(find_driver(traffic.on->device->space())->open(traffic.on->device->number()),
                                   static_cast<std::size_t>(channel->private_bytes()), "a test");
      channel->bind(device_memory.data());
    } else {
      host_memory.emplace(*channel);
    }
  }
  DeviceMemory device_memory{};
  std::optional<PrivateMemory> host_memory{};
  std::unique_ptr<Channel> channel;  // ends first
};

/// How a program stores messages and reads them: in the memory of the host at once, in that of a device through its
/// queue.
class Hands {
 public:
  explicit Hands(const std::shared_ptr<const DeviceContext>& on) : on_(on ? *on : DeviceContext{}) {}
  Hands(const Hands&) = delete;
  ~Hands() {
    if (on_.queue) on_.queue->synchronize();
  }
  [[nodiscard]] bool is_deferred() const { return on_.queue != nullptr; }

  /// `fill(there)` writes the message.
  template <class Fill>
  void store(std::byte* to, Index bytes, Fill fill) {
    if (!is_deferred()) return fill(to);
    std::byte* const prepared = pinned(bytes);
    fill(prepared);
    on_.queue->copy(to, prepared, static_cast<std::size_t>(bytes));
  }
  /// `look(there)` throws where the message is not what it should be; in a device's memory in settle(), at what was
  /// there when the queue came to it.
  template <class Look>
  void read(const std::byte* from, Index bytes, Look look) {
    if (!is_deferred()) return look(from);
    std::byte* const copy = pinned(bytes);
    on_.queue->copy(copy, from, static_cast<std::size_t>(bytes));
    looks_.push_back([look, copy] { look(copy); });
  }
  void settle() {
    if (!is_deferred()) return;
    on_.queue->synchronize();
    for (const auto& look : looks_) look();
    looks_.clear();
    blocks_.clear();
    left_ = 0;
  }

 private:
  std::byte* pinned(Index bytes) {
    if (left_ < bytes) {
      left_ = std::max<Index>(bytes, 1 << 16);
      blocks_.emplace_back(find_driver(on_.device->space())->open(on_.device->number()),
                           static_cast<std::size_t>(left_), "a test", MemoryKind::pinned);
    }
    left_ -= bytes;
    return blocks_.back().data() + left_;
  }

  DeviceContext on_;
  std::vector<DeviceMemory> blocks_{};
  Index left_ = 0;  ///< in the last block
  std::vector<std::function<void()>> looks_{};
};

/// What a message that varies has in one run: nothing, a byte, an odd number of them, all, or (-1) all because nothing
/// is said.
inline Index size_in_run(const Message& m, int from, int to, int round, Index run) {
  if (!m.varies) return m.bytes;
  Random random(static_cast<std::uint64_t>(((((run * 64 + round) * 64 + m.chunk) * 64 + from) * 64 + to) + 1));
  switch (pick(random, 0, 5)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return m.bytes;
    case 3:
      return -1;
    default:
      return pick(random, 0, m.bytes / 2 - 1) * 2 + 1;
  }
}

/// One rank of a program that runs forward and backward in random order, and at random speed. Half of the rounds are
/// read chunk by chunk while the next one is written.
class TrafficProgram {
 public:
  TrafficProgram(const Comm& comm, const Traffic& traffic, Channel& channel, std::uint64_t seed)
      : comm_(comm),
        traffic_(traffic),
        channel_(channel),
        order_(seed),
        speed_(seed * 77 + static_cast<std::uint64_t>(comm.rank())),
        heard_(static_cast<std::size_t>(comm.size())),
        hands_(traffic.on) {}

  void run(int runs) {
    for (int i = 0; i < runs; ++i) {
      start();
      advance(/*block=*/true);
    }
  }

  /// Looks at what is not looked at yet.
  void finish() { hands_.settle(); }

  void start() {
    ++run_;
    if (hands_.is_deferred() && pick(speed_, 0, 2) == 0) hands_.settle();
    handshake();
    const int exchanges = static_cast<int>(traffic_.rounds.size()) / 2;
    first_ = pick(order_, 0, 1) ? exchanges : 0;
    last_ = first_ + exchanges - 1;
    from_ = -1;
    to_ = first_;
    phase_ = Phase::begin;
    sums_ = static_cast<int>(pick(order_, 0, 2));
    summing_ = false;
    running_ = true;
  }

  /// Goes on as far as it can, with `block` to the end of the run. Returns true when it is there.
  bool advance(bool block) {
    while (running_)
      if (!step(block || !channel_.interleaves())) return false;
    return true;
  }

 private:
  enum class Phase { begin, chunks, end };

  static std::byte word(int rank, std::int64_t told) { return static_cast<std::byte>((rank * 7 + told * 13) % 256); }

  void handshake() {
    dawdle();
    channel_.handshake(comm_, word(comm_.rank(), run_), heard_);
    for (int r = 0; r < comm_.size(); ++r)
      if (heard_[static_cast<std::size_t>(r)] != word(r, run_))
        throw std::logic_error(fmt::format("rank {} run {}: rank {} said {} and {} was heard", comm_.rank(), run_, r,
                                           static_cast<int>(word(r, run_)),
                                           static_cast<int>(heard_[static_cast<std::size_t>(r)])));
  }

  /// A part of the sweep that reads what comes in round `from_` and writes what goes in round `to_`; -1 for neither.
  /// False: it would have to wait.
  bool step(bool block) {
    if (!sum(block)) return false;
    if (phase_ == Phase::begin) {
      if (to_ >= 0) {
        if (!block && !channel_.ready(to_)) return false;
        channel_.begin(to_);
      }
      phase_ = Phase::chunks;
      chunk_ = 0;
      all_at_once_ = pick(speed_, 0, 1) > 0;
    } else if (phase_ == Phase::chunks) {
      if (!do_chunk(block)) return false;
      ++chunk_;
      if (chunk_ >= chunks(from_) && chunk_ >= chunks(to_)) phase_ = Phase::end;
    } else {
      if (!end(block)) return false;
    }
    return true;
  }

  bool do_chunk(bool block) {
    if (chunk_ < chunks(from_)) {
      if (all_at_once_ && chunk_ == 0) {
        if (!all_here(from_, block)) return false;
      } else if (block && pick(speed_, 0, 1)) {
        channel_.wait(from_, chunk_);
      } else if (!poll([&] { return channel_.arrived(from_, chunk_); }, block)) {
        return false;
      }
      check(from_, chunk_);
    }
    if (chunk_ >= chunks(to_)) return true;
    store(to_, chunk_);
    dawdle();
    channel_.send(to_, chunk_);
    channel_.progress(to_);
    return true;
  }

  bool end(bool block) {
    if (from_ >= 0) {
      if (!all_here(from_, block)) return false;
      for (int c = 0; c < chunks(from_); ++c) check(from_, c);  // still there, whatever was sent since
      channel_.release(from_);
    }
    from_ = to_;
    to_ = to_ < 0 || to_ == last_ ? -1 : to_ + 1;
    phase_ = Phase::begin;
    running_ = from_ >= 0 || summing_ || sums_ > 0;
    return true;
  }

  bool all_here(int r, bool block) {
    for (Index polls = pick(speed_, 0, 3); polls > 0; --polls) (void)channel_.arrived(r);
    if (!block) return channel_.arrived(r);
    channel_.wait(r);
    if (!channel_.arrived(r)) throw std::logic_error("wait() returned before all had arrived");
    return true;
  }

  /// True when a sum is not what the program stands at: it is under way, or over, or there is none to come.
  bool sum(bool block) {
    const std::size_t n = static_cast<std::size_t>(1 + (run_ + sums_) % 8);
    std::array<double, 8> mine{}, total{};
    const auto number = [&](Index rank, std::size_t i) {
      return static_cast<double>((rank + 1) * (run_ % 1000) * 10 + static_cast<Index>(i) * rank + sums_);
    };
    const bool must_wait = from_ < 0 && to_ < 0;  // nothing else to do
    if (!summing_ && sums_ > 0 && (from_ >= 0 || must_wait)) {
      for (std::size_t i = 0; i < n; ++i) mine[i] = number(comm_.rank(), i);
      channel_.start_sum(std::span(mine).first(n));
      summing_ = true;
    }
    if (!summing_ || (!must_wait && pick(speed_, 0, 3) > 0)) return true;
    if (!poll([&] { return channel_.summed(std::span(total).first(n)); }, block && must_wait)) return !must_wait;
    for (std::size_t i = 0; i < n; ++i) {
      double expected = 0;
      for (Index r = 0; r < comm_.size(); ++r) expected += number(r, i);
      if (total[i] != expected)
        throw std::logic_error(
            fmt::format("rank {} run {}: number {} of a sum is {}, not {}", comm_.rank(), run_, i, total[i], expected));
    }
    summing_ = false;
    --sums_;
    return true;
  }

  template <class Done>
  static bool poll(Done done, bool block) {
    while (!done()) {
      if (!block) return false;
      std::this_thread::yield();
    }
    return true;
  }

  void store(int r, int chunk) {
    for (std::size_t i = 0; i < round(r).out.size(); ++i) {
      const Message& m = round(r).out[i];
      if (m.chunk != chunk) continue;
      const Index said = size_in_run(m, comm_.rank(), m.peer, r, run_), bytes = said < 0 ? m.bytes : said;
      if (bytes > 0) hands_.store(channel_.out(r, i), bytes, [&](std::byte* to) { write_units(to, m, r, bytes); });
      if (m.varies && said >= 0) channel_.shrink(r, i, said);
    }
  }

  void check(int r, int chunk) {
    for (std::size_t i = 0; i < round(r).in.size(); ++i) {
      const Message& m = round(r).in[i];
      if (m.chunk != chunk) continue;
      const Index said = size_in_run(m, m.peer, comm_.rank(), r, run_), bytes = said < 0 ? m.bytes : said;
      if (channel_.received(r, i) != bytes)
        throw std::logic_error(fmt::format("rank {} run {} round {}: {} bytes from rank {} chunk {} instead of {}",
                                           comm_.rank(), run_, r, channel_.received(r, i), m.peer, m.chunk, bytes));
      if (bytes > 0)
        hands_.read(channel_.in(r, i), bytes,
                    [this, &m, r, bytes, run = run_](const std::byte* from) { read_units(from, m, r, bytes, run); });
    }
  }

  void write_units(std::byte* to, const Message& m, int r, Index bytes) const {
    for (Index n = 0; n * 64 < bytes; ++n) {
      const Unit stored = unit(comm_.rank(), m.peer, r, m.chunk, n, run_);
      std::memcpy(to + n * 64, &stored, static_cast<std::size_t>(std::min<Index>(64, bytes - n * 64)));
    }
  }

  void read_units(const std::byte* from, const Message& m, int r, Index bytes, std::int64_t run) const {
    for (Index n = 0; n * 64 < bytes; ++n) {
      const Unit expected = unit(m.peer, comm_.rank(), r, m.chunk, n, run);
      Unit found = expected;
      std::memcpy(&found, from + n * 64, static_cast<std::size_t>(std::min<Index>(64, bytes - n * 64)));
      if (found == expected) continue;
      throw std::logic_error(fmt::format(
          "rank {} run {} round {}: unit {} from rank {} chunk {} says from {} to {} round {} chunk {} number {} run "
          "{}",
          comm_.rank(), run, r, n, m.peer, m.chunk, found[0], found[1], found[2], found[3], found[4], found[5]));
    }
  }

  void dawdle() {
    const Index mood = pick(speed_, 0, 40);
    if (mood == 0) std::this_thread::sleep_for(std::chrono::microseconds(pick(speed_, 1, 800)));
    if (mood < 5) std::this_thread::yield();
  }

  [[nodiscard]] const Round& round(int r) const { return traffic_.rounds[static_cast<std::size_t>(r)]; }
  [[nodiscard]] int chunks(int r) const { return r < 0 ? 0 : round(r).chunks; }

  Comm comm_;
  const Traffic& traffic_;
  Channel& channel_;
  Random order_, speed_;
  std::vector<std::byte> heard_;
  Hands hands_;
  std::int64_t run_ = 0;
  int first_ = 0, last_ = 0, from_ = -1, to_ = -1, chunk_ = 0, sums_ = 0;
  Phase phase_ = Phase::begin;
  bool all_at_once_ = true, summing_ = false, running_ = false;
};

}  // namespace shardfft
