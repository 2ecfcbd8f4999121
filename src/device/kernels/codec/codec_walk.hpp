// How the kernels of codecs go over blocks, groups and runs: a warp for each block of numbers, or a block of threads
// for each list of them.
#pragma once

#include "device/blocks.hpp"
#include "device/kernels/codec/codec_sums.hpp"
#include "device/kernels/launch.hpp"
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
class BlockNumbers {
 public:
  SHARDFFT_HD T& operator()(int position, int lane) { return position < warp_lanes ? low_[lane] : high_[lane]; }
  SHARDFFT_HD const T& operator()(int position, int lane) const {
    return position < warp_lanes ? low_[lane] : high_[lane];
  }
  /// Numbers 0 and 1, 2 and 3 ... in each other's places.
  SHARDFFT_HD BlockNumbers swapped(const Warp& warp) const {
    BlockNumbers others;
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
  using Shared = NoShared;
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
      sums.earlier[thread] = mine.earlier;
      sums.lost[thread] = mine.lost;
      sums.wrong[thread] = mine.wrong;
    } else if (phase == 1) {
      add_up(thread, sums);
    } else {
      then(part, sums.words[thread]);
    }
  }
};

/// A block of threads for each tile of a group. Parts are of the blocks of a group.
struct ThreadsPerTile : ThreadsPerList {
  /// A tile, and who else is in its group.
  struct Tile {
    Index group, first, blocks, earlier;  ///< earlier: tiles of the group before it
    bool last;                            ///< of its group
    const TileSums* sums_of_earlier;

    SHARDFFT_HD Tile(const BlockTables& t, Index number) {
      const BlockTile& tile = t.tile[number];
      const BlockGroup& of = t.group[tile.group];
      const Index left = Index{of.blocks} - tile.first;
      last = left <= Index{BlockTile::most_blocks};
      group = tile.group;
      first = tile.first;
      blocks = last ? left : Index{BlockTile::most_blocks};
      earlier = number - of.first_tile;
      sums_of_earlier = t.of_tile + of.first_tile;
    }
    [[nodiscard]] SHARDFFT_HD bool is_whole_group() const { return last && earlier == 0; }
    [[nodiscard]] SHARDFFT_HD ThreadShare in_group(ThreadShare part) const {
      return {first + part.from, first + part.to};
    }
  };

  /// over_list for one tile. Sums include the earlier tiles of its group, which are known (SumTiles); the last tile
  /// gets the group's sums. `words` counts all blocks before the part.
  template <class Count, class Then>
  SHARDFFT_HD static void over_tile(int phase, int thread, const Tile& tile, ThreadSums& sums, const Count& count,
                                    const Then& then) {
    const auto with_earlier = [&](ThreadShare part) {
      ListSums mine = count(tile.in_group(part));
      const ThreadShare tiles = part_of(thread, tile.earlier);
      for (Index i = tiles.from; i < tiles.to; ++i) {
        mine.earlier += tile.sums_of_earlier[i].words;
        mine.lost += tile.sums_of_earlier[i].lost;
        mine.wrong += tile.sums_of_earlier[i].wrong;
      }
      return mine;
    };
    over_list(phase, thread, tile.blocks, sums, with_earlier,
              [&](ThreadShare part, std::uint64_t words) { then(tile.in_group(part), sums.all_earlier + words); });
  }
};

/// What each tile adds to the sums of its group, which `Kernel` (over_tile) then needs of the earlier ones. Nothing for
/// groups of one tile.
template <class Kernel>
struct SumTiles : ThreadsPerTile {
  Kernel kernel{};
  SHARDFFT_HD Index blocks() const { return kernel.blocks(); }
  SHARDFFT_HD void operator()(int phase, Index number, int thread, Shared& sums) const {
    const BlockTables& t = kernel.task.tables;
    const Tile tile(t, number);
    if (tile.is_whole_group()) return;
    const auto count = [&](ThreadShare part) { return kernel.count(tile.group, tile.in_group(part)); };
    over_list(phase, thread, tile.blocks, sums, count, [&](ThreadShare, std::uint64_t) {
      if (thread == 0) t.of_tile[number] = {sums.all_words, sums.all_lost, sums.all_wrong};
    });
  }
};

/// Computes the places of the blocks of a group's part in its payload. `words` counts the blocks before it.
SHARDFFT_HD inline void place_blocks(const BlockTables& t, const BlockGroup& group, ThreadShare part,
                                     std::uint64_t words) {
  for (Index b = group.first + part.from; b < group.first + part.to; ++b) {
    t.places[b] = static_cast<std::uint32_t>(words);
    words += t.codes[b] & 127U;
  }
}

}  // namespace shardfft::kernels
