// Traffic of random shape, and a program that runs it: each 64-byte unit carries its own address, and messages that vary have another size in every run. Messages in the memory of a device are stored and read
// by its queue, and looked at some runs later.
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
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/agree.hpp"
#include "transport/transport.hpp"

namespace shardfft {

using Random = std::mt19937_64;

inline Index pick(Random& random, Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); }

struct MessageSize {
  Index bytes = 0;  ///< 0 where there is no message
  bool varies = false;
};

/// Every message of one round by [source][destination][chunk].
using RoundSizes = std::vector<std::vector<std::vector<MessageSize>>>;

inline RoundSizes random_sizes(Random& random, int ranks, int chunks) {
  const Index density = pick(random, 0, 4);  // 0: nobody sends anything
  const Index varying = pick(random, 0, 2);  // of 2
  RoundSizes sizes(static_cast<std::size_t>(ranks));
  for (auto& of_source : sizes) {
    of_source.resize(static_cast<std::size_t>(ranks));
    for (auto& of_pair : of_source)
      for (int c = 0; c < chunks; ++c) {
        const bool absent = pick(random, 1, 4) > density, small = pick(random, 0, 30) > 0;
        of_pair.push_back({absent ? 0 : 64 * (small ? pick(random, 1, 20) : pick(random, 500, 4000)), pick(random, 1, 2) <= varying});
      }
  }
  return sizes;
}

/// Round of rank `me`; messages lie in the inbox in random order with gaps.
inline Round round_of(Random& random, const RoundSizes& sizes, int me, int chunks, int slot) {
  Round round{{}, {}, 0, chunks, slot};
  const int ranks = static_cast<int>(sizes.size());
  const auto add = [&](std::vector<Message>& messages, int from, int to, int peer, int c) {
    const MessageSize& size = sizes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)][static_cast<std::size_t>(c)];
    if (size.bytes) messages.push_back({peer, c, 0, size.bytes, size.varies});
  };
  for (int c = 0; c < chunks; ++c)
    for (int to = 0; to < ranks; ++to) add(round.out, me, to, to, c);
  for (int from = 0; from < ranks; ++from)
    for (int c = 0; c < chunks; ++c) add(round.in, from, me, from, c);
  std::vector<Message*> places;
  for (Message& m : round.in) places.push_back(&m);
  std::shuffle(places.begin(), places.end(), random);
  for (Message* m : places) {
    m->offset = round.inbox_bytes + 64 * pick(random, 0, 2);
    round.inbox_bytes = m->offset + m->bytes;
  }
  return round;
}

/// Forward and backward rounds; the same on all ranks for the same seed, but for what each rank sees.
inline Traffic random_traffic(std::uint64_t seed, int ranks, int me, int most_chunks = 4) {
  Random random(seed), mine(seed * 1000 + static_cast<std::uint64_t>(me));
  const int exchanges = static_cast<int>(pick(random, 1, 4)), slots = static_cast<int>(pick(random, 2, 3));
  Traffic traffic;
  int slot = 0;
  for (int r = 0; r < 2 * exchanges; ++r) {
    slot = (slot + static_cast<int>(pick(random, 1, slots - 1))) % slots;  // never that of the round before: both are in use at once
    const int chunks = static_cast<int>(pick(random, 1, most_chunks));
    traffic.rounds.push_back(round_of(mine, random_sizes(random, ranks, chunks), me, chunks, slot));
  }
  return traffic;
}

/// What a unit of a message says about itself.
using Unit = std::array<std::int64_t, 8>;

inline Unit unit(Index from, Index to, Index round, Index chunk, Index number, Index run) { return {from, to, round, chunk, number, run, ~from, ~run}; }

/// Private memory for a channel, aligned to 64.
struct PrivateMemory {
  explicit PrivateMemory(Channel& channel)
      : bytes(static_cast<std::byte*>(std::aligned_alloc(64, static_cast<std::size_t>(channel.private_bytes() / 64 * 64 + 64))), std::free) {
    channel.bind(bytes.get());
  }
  std::unique_ptr<std::byte, decltype(&std::free)> bytes;
};

/// An opened channel and its private memory, which is where its traffic says.
struct OpenedChannel {
  OpenedChannel(const Comm& comm, const Transport& transport, const Traffic& traffic) : channel(transport.open(comm, traffic)) {
    if (traffic.on.device) {
      device_memory = DeviceMemory(find_driver(traffic.on.device->space())->open(traffic.on.device->number()), static_cast<std::size_t>(channel->private_bytes()), "a test");
      channel->bind(device_memory.data());
    } else {
      host_memory.emplace(*channel);
    }
  }
  DeviceMemory device_memory{};
  std::optional<PrivateMemory> host_memory{};
  std::unique_ptr<Channel> channel;  // ends first
};

/// How a program stores messages and reads them: in the memory of the host at once, in that of a device through its queue.
class Hands {
 public:
  explicit Hands(DeviceContext on) : on_(on) {}
  Hands(const Hands&) = delete;
  ~Hands() {
    if (on_.queue) on_.queue->synchronize();
  }
  [[nodiscard]] bool is_late() const { return on_.queue != nullptr; }

  /// `fill(there)` writes the message.
  template <class Fill>
  void store(std::byte* to, Index bytes, Fill fill) {
    if (!is_late()) return fill(to);
    std::byte* const prepared = pinned(bytes);
    fill(prepared);
    on_.queue->copy(to, prepared, static_cast<std::size_t>(bytes));
  }
  /// `look(there)` throws where the message is not what it should be; in a device's memory in settle(), at what was there when the queue came to it.
  template <class Look>
  void read(const std::byte* from, Index bytes, Look look) {
    if (!is_late()) return look(from);
    std::byte* const copy = pinned(bytes);
    on_.queue->copy(copy, from, static_cast<std::size_t>(bytes));
    looks_.push_back([look, copy] { look(copy); });
  }
  void settle() {
    if (!is_late()) return;
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
      blocks_.emplace_back(find_driver(on_.device->space())->open(on_.device->number()), static_cast<std::size_t>(left_), "a test", DeviceMemory::Kind::pinned);
    }
    left_ -= bytes;
    return blocks_.back().data() + left_;
  }

  DeviceContext on_;
  std::vector<DeviceMemory> blocks_{};
  Index left_ = 0;  ///< in the last block
  std::vector<std::function<void()>> looks_{};
};

/// What a message that varies has in one run: nothing, a byte, an odd number of them, all, or (-1) all because nothing is said.
inline Index size_in_run(const Message& m, int from, int to, int round, Index run) {
  if (!m.varies) return m.bytes;
  Random random(static_cast<std::uint64_t>(((((run * 64 + round) * 64 + m.chunk) * 64 + from) * 64 + to) + 1));
  switch (pick(random, 0, 5)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return m.bytes;
    case 3: return -1;
    default: return pick(random, 0, m.bytes / 2 - 1) * 2 + 1;
  }
}

/// One rank of a program that runs forward and backward in random order, and at random speed. Half of the rounds are read chunk by chunk while the next one is written.
class TrafficProgram {
 public:
  TrafficProgram(const Comm& comm, const Traffic& traffic, Channel& channel, std::uint64_t seed)
      : comm_(comm), traffic_(traffic), channel_(channel), order_(seed), speed_(seed * 77 + static_cast<std::uint64_t>(comm.rank())), heard_(static_cast<std::size_t>(comm.size())),
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
    if (hands_.is_late() && pick(speed_, 0, 2) == 0) hands_.settle();
    tell_all();
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

  void tell_all() {
    dawdle();
    channel_.tell_all(comm_, word(comm_.rank(), run_), heard_);
    for (int r = 0; r < comm_.size(); ++r)
      if (heard_[static_cast<std::size_t>(r)] != word(r, run_))
        throw std::logic_error(fmt::format("rank {} run {}: rank {} said {} and {} was heard", comm_.rank(), run_, r, static_cast<int>(word(r, run_)),
                                           static_cast<int>(heard_[static_cast<std::size_t>(r)])));
  }

  /// A part of the sweep that reads what comes in round `from_` and writes what goes in round `to_`; -1 for neither. False: it would have to wait.
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
    const auto number = [&](Index rank, std::size_t i) { return static_cast<double>((rank + 1) * (run_ % 1000) * 10 + static_cast<Index>(i) * rank + sums_); };
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
      if (total[i] != expected) throw std::logic_error(fmt::format("rank {} run {}: number {} of a sum is {}, not {}", comm_.rank(), run_, i, total[i], expected));
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
        throw std::logic_error(fmt::format("rank {} run {} round {}: {} bytes from rank {} chunk {} instead of {}", comm_.rank(), run_, r, channel_.received(r, i), m.peer, m.chunk, bytes));
      if (bytes > 0) hands_.read(channel_.in(r, i), bytes, [this, &m, r, bytes, run = run_](const std::byte* from) { read_units(from, m, r, bytes, run); });
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
      throw std::logic_error(fmt::format("rank {} run {} round {}: unit {} from rank {} chunk {} says from {} to {} round {} chunk {} number {} run {}", comm_.rank(), run, r, n, m.peer,
                                         m.chunk, found[0], found[1], found[2], found[3], found[4], found[5]));
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

/// Every rank sends one unit to the next one, and one to itself, in each of two chunks; the messages vary.
inline Traffic two_chunks(const Comm& comm) {
  Traffic traffic;
  Round& round = traffic.rounds.emplace_back();
  round.chunks = 2;
  const int me = comm.rank(), next = (me + 1) % comm.size(), previous = (me + comm.size() - 1) % comm.size();
  for (int chunk = 0; chunk < 2; ++chunk)
    for (int peer : {std::min(me, next), std::max(me, next)})
      if (round.out.empty() || round.out.back().peer != peer || round.out.back().chunk != chunk) round.out.push_back({peer, chunk, 0, 64, true});
  for (int peer : {std::min(me, previous), std::max(me, previous)})
    for (int chunk = 0; chunk < 2; ++chunk)
      if (round.in.size() < 2 || round.in.front().peer != peer) round.in.push_back({peer, chunk, 64 * static_cast<Index>(round.in.size()), 64, true});
  round.inbox_bytes = 64 * static_cast<Index>(round.in.size());
  return traffic;
}

/// Collective. Says the first thing that is wrong with how the chunks of one round arrive, one by one.
inline std::string wrong_with_chunks(const Comm& comm, const Transport& transport, DeviceContext on = {}) {
  Traffic traffic = two_chunks(comm);
  traffic.on = on;
  const OpenedChannel opened(comm, transport, traffic);
  Channel* const channel = opened.channel.get();
  for (int run = 0; run < 3; ++run) {
    channel->begin(0);
    for (int chunk = 0; chunk < 2; ++chunk) {
      if (channel->arrived(0, chunk)) return fmt::format("chunk {} is said to have come before it was sent", chunk);
      comm.barrier();
      for (std::size_t i = 0; i < traffic.rounds[0].out.size(); ++i)
        if (traffic.rounds[0].out[i].chunk == chunk) channel->shrink(0, i, run + 5 * chunk);
      channel->send(0, chunk);
      channel->wait(0, chunk);
      if (!channel->arrived(0, 0)) return fmt::format("chunk 0 has not come, but chunk {} has been waited for", chunk);
      for (std::size_t i = 0; i < traffic.rounds[0].in.size(); ++i)
        if (const Message& m = traffic.rounds[0].in[i]; m.chunk <= chunk && channel->received(0, i) != run + 5 * m.chunk)
          return fmt::format("{} bytes of chunk {} were received, not {}", channel->received(0, i), m.chunk, run + 5 * m.chunk);
    }
    channel->wait(0);
    comm.barrier();
    channel->release(0);
  }
  return {};
}

/// Collective. Throws where a unit is not where it should be.
inline void bring_random_traffic(const Comm& comm, const Transport& transport, std::uint64_t seed, int runs, DeviceContext on = {}, int most_chunks = 4) {
  Traffic traffic = random_traffic(seed, comm.size(), comm.rank(), most_chunks);
  traffic.on = on;
  const OpenedChannel opened(comm, transport, traffic);
  TrafficProgram program(comm, traffic, *opened.channel, seed);
  program.run(runs);
  program.finish();
}

/// Collective. Two channels under way at once, helped along in an order that is another on every rank.
inline void bring_two_at_once(const Comm& comm, const Transport& transport, std::uint64_t seed, int runs, DeviceContext on_a = {}, DeviceContext on_b = {}) {
  Traffic a = random_traffic(seed, comm.size(), comm.rank()), b = random_traffic(seed + 1000, comm.size(), comm.rank());
  a.on = on_a;
  b.on = on_b;
  const OpenedChannel opened_a(comm, transport, a), opened_b(comm, transport, b);
  TrafficProgram program_a(comm, a, *opened_a.channel, seed), program_b(comm, b, *opened_b.channel, seed + 1000);
  Random turn(seed * 31 + static_cast<std::uint64_t>(comm.rank()));
  for (int i = 0; i < runs; ++i) {
    program_a.start();
    program_a.advance(false);
    program_b.start();
    for (bool a_done = false, b_done = false; !a_done || !b_done;) {
      if (pick(turn, 0, 1))
        a_done = program_a.advance(false);
      else
        b_done = program_b.advance(false);
      std::this_thread::yield();
    }
  }
  program_a.finish();
  program_b.finish();
}

}  // namespace shardfft
