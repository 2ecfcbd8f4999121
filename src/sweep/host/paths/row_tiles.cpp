#include "sweep/host/paths/row_tiles.hpp"

#include <algorithm>
#include <cstdint>

#include "support/processor/processor_profile.hpp"

namespace shardfft {
namespace {

// Whether a line of each of these rows has room in a core's second-level cache at the same time: the powers of two that
// are in their distance decide how many of its sets they share. What is prefetched for a whole pass must stay there.
bool rows_stay_in_cache(const RowSource& source, Index length) {
  if (length < 2) return false;
  const auto apart = static_cast<Index>(reinterpret_cast<std::uintptr_t>(source.rows[1]) -
                                        reinterpret_cast<std::uintptr_t>(source.rows[0]));
  return (apart & -apart) * length <= processor_profile().pass_prefetch_bytes;
}

const Index* indices(const std::shared_ptr<const CyclicOrder>& order) {
  return order ? order->indices.data() : nullptr;
}

}  // namespace

bool RowTiles::run(const TileInMemory& tile, std::byte* scratch, const TileRun& how, double&) const {
  RowEnds ends;
  if (how.measures_norm || (how.adjoint && axis_.weighs()) || !find(tile, how, ends)) return false;
  if (ends.has_from && ends.has_to && !tile.from.in_plane()) prefetch_while_storing(ends, tile.read.count);
  Results results;
  if (!ends.has_from) transfer_.load(tile, scratch);
  transform(ends, tile.read.count, scratch, results);
  if (!ends.has_to) transfer_.store(tile, results.data(), how);
  return true;
}

std::optional<bool> RowTiles::record(const TileInMemory& tile, RecordedTiles& recorded) const {
  RowEnds ends;
  if (!find(tile, TileRun(), ends)) return std::nullopt;
  if (ends.has_from && !recorded.reads(ends.from[0], axis_.in.length)) return false;
  if (ends.has_to && !recorded.writes(ends.to[0], axis_.out.length)) return false;
  if (!ends.has_from) transfer_.record_load(tile, recorded);
  if (!ends.has_to) transfer_.record_store(tile, recorded);
  return true;
}

// Tiles of one kernel that reach memory at both ends go to it together.
void RowTiles::replay(std::span<const RecordedTile> all, const RecordedTiles::Replay& run, std::byte* scratch,
                      double scale) const {
  constexpr std::size_t most_together = 8;
  UnsetArray<RowSource, most_together> from;
  UnsetArray<RowTarget, most_together> to;
  const auto is_simple = [&](const RecordedTile& tile) {
    return tile.from.table >= 0 && tile.to.table >= 0 && tile.pencils == own_;
  };
  while (!all.empty()) {
    std::size_t count = 0;
    for (; count < std::min(most_together, all.size()) && is_simple(all[count]); ++count) {
      const RecordedTile& tile = all[count];
      from[count] = {.rows = run.rows(tile.from),
                     .offset = run.offset(tile.from),
                     .prefetch_distance = tile.from.prefetch_distance};
      to[count] = {.rows = run.rows(tile.to), .offset = run.offset(tile.to), .scale = scale};
    }
    if (count > 0)
      axis_.kernel->run_each({from.data(), count}, {to.data(), count}, scratch, scratch + axis_.half);
    else
      replay(all[count++], run, scratch, scale);
    all = all.subspan(count);
  }
}

void RowTiles::replay(const RecordedTile& tile, const RecordedTiles::Replay& run, std::byte* scratch,
                      double scale) const {
  RowEnds ends;
  ends.has_from = tile.from.table >= 0;
  ends.has_to = tile.to.table >= 0;
  for (std::size_t i = 0; i < tiles(tile.pencils); ++i) {
    const Index further = static_cast<Index>(i) * apart_;
    if (ends.has_from)
      ends.from[i] = {.rows = run.rows(tile.from),
                      .offset = run.offset(tile.from) + further,
                      .prefetch_distance = tile.from.prefetch_distance};
    if (ends.has_to) ends.to[i] = {.rows = run.rows(tile.to), .offset = run.offset(tile.to) + further, .scale = scale};
  }
  Results results;
  if (!ends.has_from) transfer_.replay_load(tile, run, scratch);
  transform(ends, tile.pencils, scratch, results);
  if (!ends.has_to) transfer_.replay_store(tile, run, results.data(), scale);
}

void RowTiles::transform(const RowEnds& ends, Index pencils, std::byte* scratch, Results& results) const {
  const TilesInRow in_row{static_cast<int>(tiles(pencils)), static_cast<Index>(2 * axis_.half)};
  std::byte* const result =
      axis_.kernel->run_rows(ends.has_from ? ends.from.data() : nullptr, ends.has_to ? ends.to.data() : nullptr, in_row,
                             scratch, scratch + axis_.half);
  for (int i = 0; i < in_row.count && !ends.has_to; ++i)
    results[static_cast<std::size_t>(i)] = result + i * in_row.apart;
}

// Prefetches while results are stored if lines that were prefetched a pass before they are loaded stay in cache.
void RowTiles::prefetch_while_storing(RowEnds& ends, Index pencils) const {
  const Index length = axis_.in.length;
  if (ends.from[0].prefetch_distance == 0 || length != axis_.out.length || !rows_stay_in_cache(ends.from[0], length))
    return;
  for (std::size_t i = 0; i < tiles(pencils); ++i) {
    ends.to[i].next = ends.from[i].rows;
    ends.to[i].next_offset = ends.from[i].offset + ends.from[i].prefetch_distance;
    ends.from[i].prefetch_distance = 0;
  }
}

// Bytes from what a tile reads of each row to what the next one reads: further along the row, in the next row, or where
// the next unit begins; 0: none follows. Of short pencils further along in any case: to find out takes longer than it
// saves.
Index RowTiles::to_next_tile(const TilePencils& read, const PencilRows& from) const {
  constexpr Index short_pencils = 32;
  if (read.begin.left_in_row > read.count || axis_.in.length < short_pencils) return read.count * axis_.element_in();
  const Index next = read.first + read.count;
  if (next < pencil_count(read.box, read.walk))
    return from.to_next_tile(read.begin.at, pencil_at(read.box, read.walk, next).at);
  return from.next() != nullptr ? from.to_next_tile(read.begin.at, *from.next()) : 0;
}

// Finds the ends of a full tile whose pencils are neighbours in memory; false: there is none. Results are written in
// place, field by field. A wider copy would wait until all earlier stores, of the previous tile, have left for memory.
bool RowTiles::find(const TileInMemory& tile, const TileRun& how, RowEnds& ends) const {
  const TilePencils &read = tile.read, &stored = tile.stored;
  if (read.count != axis_.own && read.count != axis_.kernels * axis_.own) return false;
  const Index element = axis_.element_out();
  const auto in_one_row = [&](const TilePencils& p) { return p.begin.left_in_row >= p.count && p.walk.lane >= 0; };
  const auto offset = [&](const TilePencils& p) { return p.begin.at[p.walk.lane] * element; };
  if (reads_ && in_one_row(read))
    if (const ContiguousLanes in =
            tile.from.contiguous_lanes(read.begin.at, read.count, axis_.in.length, element, indices(axis_.order_in));
        in.rows != nullptr) {
      const Index ahead = !tile.from.in_plane() || axis_.prefetches_in_planes ? to_next_tile(read, tile.from) : 0;
      ends.has_from = true;
      for (std::size_t i = 0; i < tiles(read.count); ++i)
        ends.from[i] = {.rows = in.rows,
                        .offset = in.offset + offset(read) + static_cast<Index>(i) * apart_,
                        .prefetch_distance = ahead};
    }
  // Others are put together before they bypass the cache.
  const bool whole_lines = axis_.out.complex || apart_ % 64 == 0;
  if (writes_ && in_one_row(stored) && (whole_lines || !how.non_temporal()))
    if (const ContiguousLanes out = tile.to.contiguous_lanes(stored.begin.at, stored.count, axis_.out.length, element,
                                                             indices(axis_.order_out));
        out.rows != nullptr) {
      ends.has_to = true;
      for (std::size_t i = 0; i < tiles(read.count); ++i) {
        const Index further = offset(stored) + static_cast<Index>(i) * apart_;
        const bool past_cache = how.non_temporal() && out.phase >= 0 && (out.phase + further) % 64 == 0;
        ends.to[i] = {.rows = out.rows,
                      .offset = out.offset + further,
                      .scale = how.scale,
                      .non_temporal_lo = past_cache ? out.far_lo : 0,
                      .non_temporal_hi = past_cache ? out.far_hi : 0};
      }
    }
  return ends.has_from || ends.has_to;
}

}  // namespace shardfft
