// How the kernels of codecs go over blocks, groups and runs: a warp for each block of numbers, or a block of threads
// for each list of them.
#pragma once

#include "device/blocks.hpp"
#include "device/kernels/codec/codec_sums.hpp"
#include "device/kernels/warp.hpp"

namespace shardfft::kernels {

inline constexpr int warps_of_block = 4;

/// body(position, lane) for both numbers of each lane.
template <class Body>
SHARDFFT_HD void each_number(const Warp& warp, const Body& body) {
  warp.each([&](int lane) {
    body(lane, lane);
    body(lane + warp_lanes, lane);
  });
}

/// The numbers of a block, two on each lane.
template <class T>
class Numbers {
 public:
  SHARDFFT_HD T& operator()(int position, int lane) { return position < warp_lanes ? low_[lane] : high_[lane]; }
  SHARDFFT_HD const T& operator()(int position, int lane) const {
    return position < warp_lanes ? low_[lane] : high_[lane];
  }
  /// Numbers 0 and 1, 2 and 3 ... in each other's places.
  SHARDFFT_HD Numbers swapped(const Warp& warp) const {
    Numbers others;
    others.low_ = warp.of_pair(low_);
    others.high_ = warp.of_pair(high_);
    return others;
  }

 private:
  Lanes<T> low_, high_;
};

/// A warp for each block of numbers.
struct WarpPerBlock {
  static constexpr int threads = warps_of_block * warp_lanes, phases = 1;
  struct Shared {};
  SHARDFFT_HD static Index blocks_of(Index warps) { return (warps + warps_of_block - 1) / warps_of_block; }

  /// body(its warp, number of the block of numbers), where there is one for this thread.
  template <class Body>
  SHARDFFT_HD static void with_warp(Index block, int thread, Index blocks_of_numbers, const Body& body) {
    const Warp warp(thread);
    const Index b = block * warps_of_block + thread / warp_lanes;
    if (b < blocks_of_numbers && warp.works()) body(warp, b);
  }
};

/// A block of threads for each list.
struct ThreadsPerList {
  static constexpr int threads = sum_threads, phases = 3;
  using Shared = ThreadSums;

  /// What a kernel does in its three phases. count(part): what the part of this thread adds to the sums of its list.
  /// then(part, words): once these are known; `words` are those of the threads before.
  template <class Count, class Then>
  SHARDFFT_HD static void over_list(int phase, int thread, Index entries, ThreadSums& sums, const Count& count,
                                    const Then& then) {
    const ThreadShare part = part_of(thread, entries);
    if (phase == 0) {
      const ListSums mine = count(part);
      sums.words[thread] = mine.words;
      sums.lost[thread] = mine.lost;
      sums.wrong[thread] = mine.wrong;
    } else if (phase == 1) {
      add_up(thread, sums);
    } else {
      then(part, sums.words[thread]);
    }
  }
};

/// Where the blocks of a part of a group lie in its payload; `words` are those of the blocks before.
SHARDFFT_HD inline void place_blocks(const BlockTables& t, const BlockGroup& group, ThreadShare part,
                                     std::uint64_t words) {
  for (Index b = group.first + part.from; b < group.first + part.to; ++b) {
    t.places[b] = static_cast<std::uint32_t>(words);
    words += t.codes[b] & 127U;
  }
}

}  // namespace shardfft::kernels
