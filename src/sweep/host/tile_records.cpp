// Tiles that are written down when a sweep is made, and done from there.
#include "sweep/host/tile_moves.hpp"
#include "sweep/host/tile_visits.hpp"

namespace shardfft {

bool TilePass::record(const TileOf& tile, Rows& from, Rows& to, std::size_t pass, RecordedTiles& recorded) const {
  const Pencils p = pencils_of(*tile.box, *tile.walk, tile),
                at_end = tile.stored == nullptr ? p : pencils_of(tile.stored->box, tile.stored->walk, tile);
  const TileRun through_cache;
  recorded.begin_tile(pass, tile.count);
  Ends ends;
  ContiguousEnds contiguous;
  if (takes_contiguous_ && find_contiguous(p, at_end, from, to, through_cache, contiguous)) {
    // Whole pencils, counted through the tile: kernels and blocks of rows are for tiles.
    recorded.is_contiguous(contiguous.prefetch_distance);
    for_patches(p, from,
                [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) { recorded.gathers(0, 0, v0, r); });
    for_patches(at_end, to,
                [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) { recorded.scatters(0, 0, v0, r); });
    return true;
  }
  if (may_run_rows(p)) find_ends(p, at_end, from, to, through_cache, ends);
  if (ends.has_from && !recorded.reads(ends.from[0], in_.length)) return false;
  if (ends.has_to && !recorded.writes(ends.to[0], out_.length)) return false;
  if (!ends.has_from)
    for_gathers(p, from, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      recorded.gathers(kernel, k, lane, r);
    });
  if (!ends.has_from) for_products(p, [&](const RecordedProduct& product) { recorded.multiplies(product); });
  if (ends.has_to) return true;
  for_patches(at_end, to, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& target) {
    for_kernels(patch.k_lo, v0, target, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      recorded.scatters(kernel, k, lane, r);
    });
  });
  return true;
}

void TilePass::replay(const RecordedTile& tile, const RecordedTiles::Run& run, std::byte* scratch, double scale) const {
  if (tile.contiguous) return replay_contiguous(tile, run, scratch, scale);
  Ends ends;
  ends.has_from = tile.from.table >= 0;
  ends.has_to = tile.to.table >= 0;
  for (int i = 0; i < in_row(tile.pencils).count; ++i) {
    const Index further = i * own_ * element_bytes();
    const auto number = static_cast<std::size_t>(i);
    if (ends.has_from)
      ends.from[number] = {.rows = run.rows(tile.from),
                           .offset = run.offset(tile.from) + further,
                           .prefetch_distance = tile.from.prefetch_distance};
    if (ends.has_to)
      ends.to[number] = {.rows = run.rows(tile.to), .offset = run.offset(tile.to) + further, .scale = scale};
  }
  const auto load = [&] {
    run.for_gathers(tile, [&](const RecordedMove& m, std::byte* data) {
      gather(scalar_, in_, buffer(scratch, m.kernel), m.k, m.lane,
             {data, m.count_k, m.count_v, m.step_k, m.step_v, m.conjugated});
    });
    run.for_products(tile, [&](const RecordedProduct& product) { multiply(product, scratch); });
  };
  const auto store = [&](std::byte* const* results) {
    run.for_scatters(tile, [&](const RecordedMove& m, std::byte* data) {
      scatter(scalar_, out_, results[m.kernel], m.k, m.lane,
              {data, m.count_k, m.count_v, m.step_k, m.step_v, m.conjugated}, scale, false);
    });
  };
  transform(ends, tile.pencils, scratch, load, store);
}

void TilePass::replay_contiguous(const RecordedTile& tile, const RecordedTiles::Run& run, std::byte* scratch,
                                 double scale) const {
  ContiguousEnds ends;
  run.for_gathers(tile, [&](const RecordedMove& m, const std::byte* data) {
    for (Index v = 0; v < m.count_v; ++v) ends.from[static_cast<std::size_t>(m.lane + v)] = data + v * m.step_v;
  });
  run.for_scatters(tile, [&](const RecordedMove& m, std::byte* data) {
    for (Index v = 0; v < m.count_v; ++v) ends.to[static_cast<std::size_t>(m.lane + v)] = data + v * m.step_v;
  });
  ends.prefetch_distance = tile.prefetch_distance;
  run_contiguous(ends, tile.pencils, scratch, {.scale = scale});
}

}  // namespace shardfft
