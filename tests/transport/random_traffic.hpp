// Traffic of random shape, the same for all ranks that know its seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "transport/transport.hpp"

namespace shardfft {

using Random = std::mt19937_64;

inline Index pick(Random& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

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
        of_pair.push_back(
            {absent ? 0 : 64 * (small ? pick(random, 1, 20) : pick(random, 500, 4000)), pick(random, 1, 2) <= varying});
      }
  }
  return sizes;
}

/// Round of rank `me`; messages lie in the inbox in random order with gaps.
inline Round round_of(Random& random, const RoundSizes& sizes, int me, int chunks, int slot) {
  Round round{{}, {}, 0, chunks, slot};
  const int ranks = static_cast<int>(sizes.size());
  const auto add = [&](std::vector<Message>& messages, int from, int to, int peer, int c) {
    const MessageSize& size =
        sizes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)][static_cast<std::size_t>(c)];
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
    slot = (slot + static_cast<int>(pick(random, 1, slots - 1))) %
           slots;  // never that of the round before: both are in use at once
    const int chunks = static_cast<int>(pick(random, 1, most_chunks));
    traffic.rounds.push_back(round_of(mine, random_sizes(random, ranks, chunks), me, chunks, slot));
  }
  return traffic;
}

}  // namespace shardfft
