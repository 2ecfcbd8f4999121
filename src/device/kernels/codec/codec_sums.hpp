// Sums over the entries of a list, and of those before each, by one block of threads: each thread adds up a part of the
// list, the first warp adds up the threads, and each thread goes over its part again.
#pragma once

#include "device/kernels/warp.hpp"
#include "shardfft/box.hpp"

namespace shardfft::kernels {

inline constexpr int sum_threads = 256;

/// What is shared between phases. Phase 0: each thread sets its entries; phase 1: add_up(); phase 2: `words` are those
/// of the threads before, the others are sums of all.
struct ThreadSums {
  std::uint64_t words[sum_threads], all_words;
  std::uint64_t earlier[sum_threads], all_earlier;
  double lost[sum_threads], all_lost;
  std::uint32_t wrong[sum_threads], all_wrong;
};

/// What a part of a list adds to the sums.
struct ListSums {
  std::uint64_t words = 0;
  std::uint64_t earlier = 0;  ///< words of lists before this one
  double lost = 0;
  std::uint32_t wrong = 0;
};

/// The part of a list that a thread goes over.
struct ThreadShare {
  Index from, to;
};
SHARDFFT_HD inline ThreadShare part_of(int thread, Index entries) {
  const Index each = (entries + sum_threads - 1) / sum_threads,
              from = each * thread < entries ? each * thread : entries;
  return {from, from + each < entries ? from + each : entries};
}

/// Called by all threads.
SHARDFFT_HD inline void add_up(int thread, ThreadSums& sums) {
  constexpr int each = sum_threads / warp_lanes;
  if (thread >= warp_lanes) return;
  const Warp warp(thread);
  if (!warp.works()) return;
  Lanes<std::uint64_t> words, earlier;
  Lanes<double> lost;
  Lanes<std::uint32_t> wrong;
  warp.each([&](int lane) {
    for (int i = lane * each; i < (lane + 1) * each; ++i) {
      words[lane] += sums.words[i];
      earlier[lane] += sums.earlier[i];
      lost[lane] += sums.lost[i];
      wrong[lane] += sums.wrong[i];
    }
  });
  const std::uint64_t all_words = warp.sum(words), all_earlier = warp.sum(earlier);
  const double all_lost = warp.sum(lost);
  const std::uint32_t all_wrong = warp.sum(wrong);
  Lanes<std::uint64_t> before = warp.sums_before(words);
  warp.each([&](int lane) {
    for (int i = lane * each; i < (lane + 1) * each; ++i) {
      const std::uint64_t own = sums.words[i];
      sums.words[i] = before[lane];
      before[lane] += own;
    }
    if (lane != 0) return;
    sums.all_words = all_words;
    sums.all_earlier = all_earlier;
    sums.all_lost = all_lost;
    sums.all_wrong = all_wrong;
  });
}

}  // namespace shardfft::kernels
