// Decodes groups of blocks: what arrived is looked through first, so that nothing is read outside and what cannot be
// right is told.
#pragma once

#include "device/kernels/codec/codec_block.hpp"
#include "device/kernels/codec/codec_elements.hpp"

namespace shardfft::kernels {

/// Whether a group's payload lies where payloads may lie, and its parameter and format mean something.
template <class T>
SHARDFFT_HD bool is_sound(const GroupMade& made, const BlockRun& run) {
  if (!is_format<T>(made.format) || !is_parameter<T>(made.parameter, made.format)) return false;
  const auto bytes = static_cast<std::uint64_t>(run.bytes);
  return made.at >= static_cast<std::uint64_t>(run.payload_at) && made.at % 8 == 0 && made.at <= bytes &&
         made.bytes <= bytes - made.at;
}

/// Codes and places of the blocks of each group, and whether it is damaged.
template <class T>
struct CheckGroups : ThreadsPerTile {
  DecodeBlocks task{};
  SHARDFFT_HD Index blocks() const { return task.tables.tiles; }

  [[nodiscard]] SHARDFFT_HD ListSums count(Index g, ThreadShare part) const {
    const BlockTables& t = task.tables;
    const BlockGroup& group = t.group[g];
    const GroupMade& made = task.made[g];
    ListSums mine;
    mine.wrong = !is_sound<T>(made, t.run[group.run]) ? 1 : 0;
    if (mine.wrong != 0) return mine;
    const std::byte* index = t.run[group.run].memory + group.index_at;
    for (Index i = part.from; i < part.to; ++i) {
      const std::uint8_t code = has_index(made.format) ? static_cast<std::uint8_t>(index[i]) : cast_code(made.format);
      t.codes[group.first + i] = code;
      mine.words += code & 127U;
      if (!is_code<T>(code, made.format, t.dither)) ++mine.wrong;
    }
    return mine;
  }

  SHARDFFT_HD void operator()(int phase, Index number, int thread, Shared& sums) const {
    const BlockTables& t = task.tables;
    const Tile tile(t, number);
    const auto counted = [&](ThreadShare part) { return count(tile.group, part); };
    over_tile(phase, thread, tile, sums, counted, [&](ThreadShare part, std::uint64_t words) {
      const std::uint64_t bytes = (sums.all_earlier + sums.all_words) * 8;
      if (thread == 0 && tile.last)
        task.damaged[tile.group] = sums.all_wrong != 0 || bytes > task.made[tile.group].bytes ? 1 : 0;
      if (sums.all_wrong == 0) place_blocks(t, t.group[tile.group], part, words);
    });
  }
};

/// The numbers of all blocks, or of those that are asked for.
template <class T, class Twiddles = NoTwiddles>
struct UnpackBlocks : WarpPerBlock {
  DecodeBlocks task{};
  Twiddles twiddles{};
  SHARDFFT_HD Index count() const { return task.block ? task.decoded : task.tables.blocks; }
  SHARDFFT_HD Index blocks() const { return blocks_of(count()); }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const BlockTables& t = task.tables;
    with_warp(block, thread, count(), [&](const Warp& warp, Index entry) {
      const Index b = task.block ? task.block[entry] : entry;
      const std::uint32_t g = t.group_of[b];
      const GroupMade& made = task.made[g];
      const BlockPart part = part_of(task.elements, entry, b);
      BlockNumbers<T> x;
      if (task.damaged[g] == 0)
        unpack(warp, t.run[t.group[g].run].memory + made.at + 8 * static_cast<std::uint64_t>(t.places[b]),
               {made.format, made.parameter, t.dither, key_of(t, part)}, t.codes[b], x);
      if constexpr (Twiddles::any) multiply_block(warp, part, twiddles, x);
      store_block(warp, task.elements, part, x);
    });
  }
};

/// How many groups of each run are damaged.
struct CountDamaged : ThreadsPerList {
  DecodeBlocks task{};
  SHARDFFT_HD Index blocks() const { return task.tables.runs; }
  SHARDFFT_HD void operator()(int phase, Index r, int thread, Shared& sums) const {
    const BlockRun& run = task.tables.run[r];
    const auto count = [&](ThreadShare part) {
      ListSums mine;
      for (Index g = run.first_group + part.from; g < run.first_group + part.to; ++g) mine.wrong += task.damaged[g];
      return mine;
    };
    over_list(phase, thread, run.groups, sums, count, [&](ThreadShare, std::uint64_t) {
      if (thread == 0) task.damaged_groups[r] = sums.all_wrong;
    });
  }
};

}  // namespace shardfft::kernels
