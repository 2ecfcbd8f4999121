// Traffic of random shape, and a program that runs it: each 64-byte unit carries its own address.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/agree.hpp"
#include "transport/transport.hpp"

namespace shardfft {

using Random = std::mt19937_64;

inline Index pick(Random& random, Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); }

/// Bytes of every message of one round by [source][destination][chunk]; 0 where there is none.
using RoundSizes = std::vector<std::vector<std::vector<Index>>>;

inline RoundSizes random_sizes(Random& random, int ranks, int chunks) {
  const Index density = pick(random, 0, 4);  // 0: nobody sends anything
  RoundSizes sizes(static_cast<std::size_t>(ranks));
  for (auto& of_source : sizes) {
    of_source.resize(static_cast<std::size_t>(ranks));
    for (auto& of_pair : of_source)
      for (int c = 0; c < chunks; ++c) {
        const bool absent = pick(random, 1, 4) > density, small = pick(random, 0, 30) > 0;
        of_pair.push_back(absent ? 0 : 64 * (small ? pick(random, 1, 20) : pick(random, 500, 4000)));
      }
  }
  return sizes;
}

/// Round of rank `me`; messages lie in the inbox in random order with gaps.
inline Round round_of(Random& random, const RoundSizes& sizes, int me, int chunks, int slot) {
  Round round{{}, {}, 0, chunks, slot};
  const int ranks = static_cast<int>(sizes.size());
  const auto bytes = [&](int from, int to, int c) { return sizes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)][static_cast<std::size_t>(c)]; };
  for (int c = 0; c < chunks; ++c)
    for (int to = 0; to < ranks; ++to)
      if (bytes(me, to, c)) round.out.push_back({to, c, 0, bytes(me, to, c)});
  for (int from = 0; from < ranks; ++from)
    for (int c = 0; c < chunks; ++c)
      if (bytes(from, me, c)) round.in.push_back({from, c, 0, bytes(from, me, c)});
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
inline Traffic random_traffic(std::uint64_t seed, int ranks, int me) {
  Random random(seed), mine(seed * 1000 + static_cast<std::uint64_t>(me));
  const int exchanges = static_cast<int>(pick(random, 1, 4)), slots = static_cast<int>(pick(random, 2, 3));
  Traffic traffic;
  int slot = 0;
  for (int r = 0; r < 2 * exchanges; ++r) {
    slot = (slot + static_cast<int>(pick(random, 1, slots - 1))) % slots;  // never that of the round before: both are in use at once
    const int chunks = static_cast<int>(pick(random, 1, 4));
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

/// One rank of a program that runs forward and backward in random order, and at random speed.
class TrafficProgram {
 public:
  TrafficProgram(const Comm& comm, const Traffic& traffic, Channel& channel, std::uint64_t seed)
      : comm_(comm), traffic_(traffic), channel_(channel), order_(seed), speed_(seed * 77 + static_cast<std::uint64_t>(comm.rank())), heard_(static_cast<std::size_t>(comm.size())) {}

  void run(int runs) {
    const int exchanges = static_cast<int>(traffic_.rounds.size()) / 2;
    for (run_ = 0; run_ < runs; ++run_) {
      tell_all();
      const int first = pick(order_, 0, 1) ? exchanges : 0;
      for (int r = first; r < first + exchanges; ++r) sweep(r > first ? r - 1 : -1, r);
      sweep(first + exchanges - 1, -1);
    }
  }

 private:
  static std::byte word(int rank, std::int64_t told) { return static_cast<std::byte>((rank * 7 + told * 13) % 256); }

  void tell_all() {
    ++told_;
    dawdle();
    channel_.tell_all(comm_, word(comm_.rank(), told_), heard_);
    for (int r = 0; r < comm_.size(); ++r)
      if (heard_[static_cast<std::size_t>(r)] != word(r, told_))
        throw std::logic_error(fmt::format("rank {} run {}: rank {} said {} and {} was heard", comm_.rank(), told_, r, static_cast<int>(word(r, told_)),
                                           static_cast<int>(heard_[static_cast<std::size_t>(r)])));
  }

  /// Reads what came in round `from` and writes what goes in round `to`; -1 for neither.
  void sweep(int from, int to) {
    if (to >= 0) channel_.begin(to);
    if (from >= 0) check(from);
    for (int c = 0; to >= 0 && c < round(to).chunks; ++c) {
      store(to, c);
      dawdle();
      channel_.send(to, c);
      channel_.progress(to);
    }
    if (from >= 0) {
      dawdle();
      check(from);  // still there, whatever was sent since
      channel_.release(from);
    }
    if (to < 0) return;
    for (Index polls = pick(speed_, 0, 3); polls > 0; --polls) (void)channel_.arrived(to);
    channel_.wait(to);
    if (!channel_.arrived(to)) throw std::logic_error("wait() returned before all had arrived");
  }

  void store(int r, int chunk) {
    for (std::size_t i = 0; i < round(r).out.size(); ++i) {
      const Message& m = round(r).out[i];
      if (m.chunk != chunk) continue;
      auto* to = reinterpret_cast<Unit*>(channel_.out(r, i));
      for (Index n = 0; n < m.bytes / 64; ++n) to[n] = unit(comm_.rank(), m.peer, r, chunk, n, run_);
    }
  }

  void check(int r) const {
    for (std::size_t i = 0; i < round(r).in.size(); ++i) {
      const Message& m = round(r).in[i];
      const auto* from = reinterpret_cast<const Unit*>(channel_.in(r, i));
      for (Index n = 0; n < m.bytes / 64; ++n) {
        const Unit expected = unit(m.peer, comm_.rank(), r, m.chunk, n, run_);
        if (from[n] == expected) continue;
        throw std::logic_error(
            fmt::format("rank {} run {} round {}: unit {} from rank {} chunk {} says from {} to {} round {} chunk {} number {} run {}", comm_.rank(), run_,
                        r, n, m.peer, m.chunk, from[n][0], from[n][1], from[n][2], from[n][3], from[n][4], from[n][5]));
      }
    }
  }

  void dawdle() {
    const Index mood = pick(speed_, 0, 40);
    if (mood == 0) std::this_thread::sleep_for(std::chrono::microseconds(pick(speed_, 1, 800)));
    if (mood < 5) std::this_thread::yield();
  }

  [[nodiscard]] const Round& round(int r) const { return traffic_.rounds[static_cast<std::size_t>(r)]; }

  Comm comm_;
  const Traffic& traffic_;
  Channel& channel_;
  Random order_, speed_;
  std::vector<std::byte> heard_;
  std::int64_t run_ = 0, told_ = 0;
};

/// Collective. Throws where a unit is not where it should be.
inline void bring_random_traffic(const Comm& comm, const Transport& transport, std::uint64_t seed, int runs) {
  const Traffic traffic = random_traffic(seed, comm.size(), comm.rank());
  const auto channel = transport.open(comm, traffic);
  const PrivateMemory memory(*channel);
  TrafficProgram(comm, traffic, *channel, seed).run(runs);
}

}  // namespace shardfft
