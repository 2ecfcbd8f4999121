// Encodes groups of blocks: how many bytes each block takes and what it loses; whether its group may lose that, or is
// tried again; where blocks and groups lie; and the bytes.
#pragma once

#include "device/kernels/codec/codec_block.hpp"
#include "device/kernels/codec/codec_elements.hpp"

namespace shardfft::kernels {

/// Codes and losses of the blocks of those groups that take this try.
template <class T>
struct MeasureBlocks : WarpPerBlock {
  EncodeBlocks task{};
  int attempt = 0;
  SHARDFFT_HD Index blocks() const { return blocks_of(task.tables.blocks); }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const BlockTables& t = task.tables;
    with_warp(block, thread, t.blocks, [&](const Warp& warp, Index b) {
      const std::uint32_t group = t.group_of[b];
      if (attempt > 0 && task.made[group].attempt != attempt) return;
      const GroupTry& way = task.attempt[attempt * t.groups + group];
      const bool unusable = way.parameter != way.parameter;
      const BlockPart part = part_of(task.elements, b, b);
      const BlockCost m = unusable ? BlockCost{}
                                   : measure(warp, load_block<T>(warp, task.elements, part),
                                             {way.format, way.parameter, t.dither, key_of(t, part)});
      warp.each([&](int lane) {
        if (lane != 0) return;
        t.codes[b] = m.code;
        t.lost[b] = m.lost;
      });
    });
  }
};

/// Computes the place of each block in its group's payload, and whether the group lost too much.
struct PlaceBlocks : ThreadsPerTile {
  EncodeBlocks task{};
  int attempt = 0;
  SHARDFFT_HD Index blocks() const { return task.tables.tiles; }

  [[nodiscard]] SHARDFFT_HD ListSums count(Index g, ThreadShare part) const {
    const BlockTables& t = task.tables;
    ListSums mine;
    // Decided before: nothing is left to do. The last tile may raise it to the next attempt meanwhile, never lower it.
    mine.wrong = attempt > 0 && task.made[g].attempt < attempt ? 1 : 0;
    if (mine.wrong != 0) return mine;
    for (Index b = t.group[g].first + part.from; b < t.group[g].first + part.to; ++b) {
      mine.words += t.codes[b] & 127U;
      mine.lost += t.lost[b];
    }
    return mine;
  }

  SHARDFFT_HD void operator()(int phase, Index number, int thread, Shared& sums) const {
    const BlockTables& t = task.tables;
    const Tile tile(t, number);
    const auto counted = [&](ThreadShare part) { return count(tile.group, part); };
    over_tile(phase, thread, tile, sums, counted, [&](ThreadShare part, std::uint64_t words) {
      if (sums.all_wrong != 0) return;
      place_blocks(t, t.group[tile.group], part, words);
      if (thread == 0 && tile.last) decide(tile.group, sums);
    });
  }

 private:
  SHARDFFT_HD void decide(Index g, const Shared& sums) const {
    const GroupTry& way = task.attempt[attempt * task.tables.groups + g];
    const double unit = loss_unit(way.format, way.parameter, task.unit),
                 lost2 = sums.all_lost == 0 ? 0 : sums.all_lost * unit * unit;
    const bool last = attempt + 1 == task.tries;
    const bool kept = way.parameter == way.parameter && lost2 <= way.allowed2;  // false for NaN
    GroupMade& made = task.made[g];
    made.attempt = static_cast<std::uint8_t>(kept || last ? attempt : attempt + 1);
    made.parameter = way.parameter;
    made.lost2 = lost2;
    made.bytes = static_cast<std::uint32_t>((sums.all_earlier + sums.all_words) * 8);
    made.format = way.format;
  }
};

/// Computes the place of each group of a run.
struct PlaceGroups : ThreadsPerList {
  EncodeBlocks task{};
  SHARDFFT_HD Index blocks() const { return task.tables.runs; }

  SHARDFFT_HD void operator()(int phase, Index r, int thread, Shared& sums) const {
    const BlockRun& run = task.tables.run[r];
    const auto count = [&](ThreadShare part) {
      ListSums mine;
      for (Index g = run.first_group + part.from; g < run.first_group + part.to; ++g) mine.words += task.made[g].bytes;
      return mine;
    };
    over_list(phase, thread, run.groups, sums, count, [&](ThreadShare part, std::uint64_t bytes) {
      std::uint64_t at = static_cast<std::uint64_t>(run.payload_at) + bytes;
      for (Index g = run.first_group + part.from; g < run.first_group + part.to; ++g) {
        task.made[g].at = at;
        at += task.made[g].bytes;
      }
      if (thread == 0) task.run_bytes[r] = static_cast<std::uint64_t>(run.payload_at) + sums.all_words;
    });
  }
};

/// The index and the payload of each block; `far`: the payload for its reader, too.
template <class T, bool far = false>
struct PackBlocks : WarpPerBlock {
  EncodeBlocks task{};
  SHARDFFT_HD Index blocks() const { return blocks_of(task.tables.blocks); }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const BlockTables& t = task.tables;
    with_warp(block, thread, t.blocks, [&](const Warp& warp, Index b) {
      const std::uint32_t g = t.group_of[b];
      const BlockGroup& group = t.group[g];
      const GroupMade& made = task.made[g];
      const BlockRun& run = t.run[group.run];
      const std::uint8_t code = t.codes[b];
      if (has_index(made.format))
        warp.each([&](int lane) {
          if (lane == 0) run.memory[group.index_at + b - group.first] = static_cast<std::byte>(code);
        });
      if ((code & 127) == 0) return;  // its numbers are not even read
      const BlockPart part = part_of(task.elements, b, b);
      const BlockNumbers<T> x = load_block<T>(warp, task.elements, part);
      const BlockWay way{made.format, made.parameter, t.dither, key_of(t, part)};
      const std::uint64_t at = made.at + 8 * static_cast<std::uint64_t>(t.places[b]);
      pack(warp, x, way, code, run.memory + at);
      if constexpr (far)
        if (run.reader) pack(warp, x, way, code, run.reader + at);
    });
  }
};

}  // namespace shardfft::kernels
