#include "sweep/host/paths/contiguous_tiles.hpp"

#include <algorithm>
#include <cstdint>

#include "support/memory/round_up.hpp"
#include "support/memory/unset_array.hpp"
#include "support/processor/processor_caches.hpp"
#include "support/squares.hpp"
#include "sweep/host/paths/tile_visits.hpp"

namespace shardfft {
namespace {

constexpr std::size_t most_together = 8;  // pencils of a call

// Sum of squares of the first and the last element of a row of complex numbers: of real parts alone, or of both parts.
double squares_at_ends(Scalar scalar, const std::byte* row, Index length, Index parts) {
  return sum_of_squares(scalar, row, parts) +
         sum_of_squares(scalar, row + (length - 1) * 2 * static_cast<Index>(size_of(scalar)), parts);
}

}  // namespace

// Weights before the transform, or of pencils by their index, need a tile; and Parseval's theorem needs whole pencils.
bool ContiguousTiles::run(const TileInMemory& tile, std::byte* scratch, const TileRun& how, double& norm2) const {
  const bool weighed = how.adjoint && axis_.weighs(), in_memory = axis_.weights.before == 1 && axis_.weights.other < 0;
  if ((weighed && !in_memory) || (how.measures_norm && axis_.is_pruned())) return false;
  PencilEnds ends;
  if (!find(tile, how, ends)) return false;
  norm2 += transform(ends, tile.read.count, scratch, how);
  if (weighed) weigh({ends.to.data(), static_cast<std::size_t>(tile.read.count)});
  return true;
}

// Moves are of whole pencils, counted through the tile.
std::optional<bool> ContiguousTiles::record(const TileInMemory& tile, RecordedTiles& recorded) const {
  PencilEnds ends;
  if (!find(tile, TileRun(), ends)) return std::nullopt;
  recorded.prefetches(ends.prefetch_distance);
  for_patches(tile.read, tile.from,
              [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) { recorded.gathers(0, 0, v0, r); });
  for_patches(tile.stored, tile.to,
              [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) { recorded.scatters(0, 0, v0, r); });
  return true;
}

// Takes as many tiles together as have room and prefetch alike.
void ContiguousTiles::replay(std::span<const RecordedTile> tiles, const RecordedTiles::Replay& run, std::byte* scratch,
                             double scale) const {
  PencilEnds ends;
  Index count = 0;
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const RecordedTile& tile = tiles[t];
    run.for_gathers(tile, [&](const RecordedMove& m, const std::byte* data) {
      for (Index v = 0; v < m.count_v; ++v)
        ends.from[static_cast<std::size_t>(count + m.lane + v)] = data + v * m.step_v;
    });
    run.for_scatters(tile, [&](const RecordedMove& m, std::byte* data) {
      for (Index v = 0; v < m.count_v; ++v) ends.to[static_cast<std::size_t>(count + m.lane + v)] = data + v * m.step_v;
    });
    count += tile.pencils;
    if (t + 1 < tiles.size() && count + tiles[t + 1].pencils <= most_pencils &&
        tiles[t + 1].prefetch_distance == tile.prefetch_distance)
      continue;
    ends.prefetch_distance = tile.prefetch_distance;
    transform(ends, count, scratch, {.scale = scale});
    count = 0;
  }
}

void ContiguousTiles::weigh(std::span<std::byte* const> pencils) const {
  const Index imaginary = axis_.out.complex ? 1 : 0;
  for (std::byte* const pencil : pencils)
    for (const AdjointWeights::Element& element : axis_.weights.elements)
      scale_element(axis_.scalar, pencil, element.k * (1 + imaginary), imaginary, axis_.weights.after);
}

// False if a pencil is not contiguous at both ends, or is faster as part of a tile.
bool ContiguousTiles::find(const TileInMemory& tile, const TileRun& how, PencilEnds& ends) const {
  const auto& [read, stored, from, to] = tile;
  const TileFormat &in = axis_.in, &out = axis_.out;
  const Index element_in = axis_.element_in(), element_out = axis_.element_out();
  if (read.count > most_pencils) return false;
  ends.non_temporal = how.non_temporal();
  if (ends.non_temporal)
    for_patches(stored, to, [&](const RowPatch& patch, Index, const Rectangle<std::byte>&) {
      ends.non_temporal = ends.non_temporal && !patch.in_plane;
    });
  // Full tiles of pencils that do not fill vectors, and of short half spectra, are faster than pencil after pencil.
  // Back to reals they are up to a tenth faster, unless whole lines go past the cache.
  constexpr Index short_from_reals = 128, short_to_reals = 256;
  const bool real_out = !out.complex, alone = 2 * read.count <= in.pencils;
  if (!alone && !axis_.kernel->fills_contiguous_vectors()) return false;
  if (!alone && !in.complex && in.length < short_from_reals) return false;
  if (!alone && real_out && (!ends.non_temporal || out.length < short_to_reals)) return false;
  const auto add = [](auto& list, Index v0, const Rectangle<std::byte>& r) {
    for (Index v = 0; v < r.count_v; ++v) list[static_cast<std::size_t>(v0 + v)] = r.data + v * r.step_v;
  };
  bool possible = true;
  for_patches(read, from, [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) {
    possible = possible && r.count_k == in.length && r.step_k == element_in && !r.conjugated;
    if (possible) add(ends.from, v0, r), ends.prefetch_distance = r.step_v;
  });
  if (!possible) return false;
  Index targets = 0;  // more than pencils where one goes to two places, for which a kernel has no way
  for_patches(stored, to, [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) {
    targets += r.count_v;
    possible = possible && r.count_k == out.length && r.step_k == element_out && !r.conjugated;
    ends.whole_lines = ends.whole_lines && reinterpret_cast<std::uintptr_t>(r.data) % 64 == 0 &&
                       (r.count_v == 1 || r.step_v % 64 == 0);
    if (possible) add(ends.to, v0, r);
  });
  constexpr Index soon = 8192;  // bytes
  const Index pencil = in.length * element_in;
  ends.prefetch_distance = from.in_plane() ? 0 : ends.prefetch_distance * ((soon + pencil - 1) / pencil);
  ends.whole_lines = ends.whole_lines && out.length * element_out % 64 == 0;
  return possible && targets == stored.count && (ends.whole_lines || !real_out || alone);
}

// What is to be stored past the cache, and is no whole lines or not stored in such, is put together in the second
// buffer.
void ContiguousTiles::transform(std::span<const ContiguousPencil> pencils, bool whole_lines, std::byte* scratch) const {
  if ((whole_lines && stores_lines_) || !pencils.front().non_temporal)
    return axis_.kernel->run_contiguous(pencils, scratch);
  const Index bytes = axis_.out.length * axis_.element_out(), room = round_up(bytes, cache_line) + cache_line;
  const std::size_t together = std::clamp<std::size_t>(axis_.half / static_cast<std::size_t>(room), 1,
                                                       most_together);  // a pencil and its line have room in any buffer
  UnsetArray<ContiguousPencil, most_together> here;
  while (!pencils.empty()) {
    const std::size_t count = std::min(together, pencils.size());
    for (std::size_t i = 0; i < count; ++i) {
      here[i] = pencils[i];
      here[i].to =
          scratch + axis_.half + static_cast<Index>(i) * room + reinterpret_cast<std::uintptr_t>(pencils[i].to) % 64;
      here[i].non_temporal = false;
    }
    axis_.kernel->run_contiguous({here.data(), count}, scratch);
    for (std::size_t i = 0; i < count; ++i) store_lines(pencils[i].to, 0, here[i].to, 0, 1, bytes, nullptr);
    pencils = pencils.subspan(count);
  }
}

// With `measures_norm`, by Parseval's theorem: what is read is at owner here, what is stored may be in memory already.
// Sums are of results that were not scaled.
double ContiguousTiles::transform(const PencilEnds& ends, Index count, std::byte* scratch, const TileRun& how) const {
  const std::size_t together =
      how.measures_norm ? 1 : most_together;  // what was summed up is transformed while it is in the first-level cache
  const bool from_half = !axis_.out.complex,
             to_half = !axis_.in.complex;  // a half spectrum, all of whose elements but the ends stand for two
  double norm2 = 0;
  UnsetArray<ContiguousPencil, most_together> pencils;
  for (std::size_t v = 0; v < static_cast<std::size_t>(count); v += together) {
    const std::size_t here = std::min(together, static_cast<std::size_t>(count) - v);
    double squares = 0;
    for (std::size_t i = 0; i < here; ++i) {
      const std::byte* from = ends.from[v + i];
      pencils[i] = {from, ends.to[v + i], ends.prefetch_distance, how.scale, ends.non_temporal};
      if (!how.measures_norm) continue;
      const double all = sum_of_squares(axis_.scalar, from, axis_.in.length * (to_half ? 1 : 2));
      squares += from_half ? 2 * (all - squares_at_ends(axis_.scalar, from, axis_.in.length, 2)) +
                                 squares_at_ends(axis_.scalar, from, axis_.in.length, 1)
                           : all;
    }
    transform({pencils.data(), here}, ends.whole_lines, scratch);
    squares *= static_cast<double>(std::max(axis_.in.length, axis_.out.length));
    if (how.measures_norm && to_half) {
      for (std::size_t i = 0; i < here; ++i)
        squares += squares_at_ends(axis_.scalar, ends.to[v + i], axis_.out.length, 2) / (how.scale * how.scale);
      squares /= 2;
    }
    norm2 += squares;
  }
  return norm2;
}

}  // namespace shardfft
