#include "sweep/host/paths/tile_transfer.hpp"

#include <array>

#include "sweep/host/paths/tile_visits.hpp"

namespace shardfft {

// Cuts a rectangle, from element `k0` of pencil `v0` of the tile on, into pieces that lie in one kernel's tile:
// move(kernel number, element, lane, piece).
template <class Move>
void TileTransfer::for_kernels(Index k0, Index v0, const Rectangle<std::byte>& r, Move move) const {
  // Rows of a wide tile that are moved before the next kernel's columns: their pages stay in the first-level TLB.
  constexpr Index rows_at_once = 32;
  const Index own = axis_.in.pencils, block = axis_.kernels * axis_.own == own ? r.count_k : rows_at_once;
  for (Index k = 0; k < r.count_k; k += block)
    for (Index v = 0; v < r.count_v;) {
      const Index lane = v0 + v, n = std::min(r.count_v - v, own - lane % own);
      move(static_cast<std::size_t>(lane / own), k0 + k, lane % own,
           Rectangle<std::byte>{r.data + k * r.step_k + v * r.step_v, std::min(block, r.count_k - k), n, r.step_k,
                                r.step_v, r.conjugated});  // written field by field as in RowTiles::find, not copied
      v += n;
    }
}

// Pencils of one kernel whose indices along axis `split`, in the order of `map`, are neighbours or the same.
template <class Multiply>
void TileTransfer::for_products(const TilePencils& p, int split, const CyclicMap& map, Multiply multiply) const {
  const Index own = axis_.own;
  const bool along = p.walk.lane == split;
  for_segments(p, [&](const Coord& at, Index in_tile, Index here) {
    for (Index done = 0; done < here;) {
      const Index lane = in_tile + done, other = at[split] + (along ? done : 0);
      const Index left = along ? map.left_of_owner(other) : here;
      const Index n = std::min({here - done, own - lane % own, left});
      multiply(RecordedProduct{static_cast<std::uint32_t>(lane / own), lane % own, n, map.index(other),
                               along ? map.owners : 0});
      done += n;
    }
  });
}

template <class Multiply>
void TileTransfer::for_products(const TilePencils& p, Multiply multiply) const {
  if (axis_.twiddles) for_products(p, axis_.other, axis_.other_map, multiply);
}

template <class Tile>
void TileTransfer::chirp(const TilePencils& p, const RowChirp& factors, const TileFormat& format, Tile tile) const {
  const CyclicMap map{.n = factors.end(), .owners = 1};
  for_products(p, axis_.chirp_rows, map, [&](const RecordedProduct& r) {
    factors.multiply(axis_.scalar, format, tile(r.kernel),
                     {.lane = r.lane, .count = r.count, .row = r.other, .step = r.step});
  });
}

void TileTransfer::multiply(const RecordedProduct& p, std::byte* scratch) const {
  axis_.twiddles->multiply(axis_.scalar, axis_.kernel->in(), axis_.buffer(scratch, p.kernel), p.lane, p.count, p.other,
                           p.step);
}

void TileTransfer::load(const TileInMemory& tile, std::byte* scratch) const {
  for_patches(tile.read, tile.from, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& source) {
    for_kernels(patch.k_lo, v0, source, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      gather(axis_.scalar, axis_.in, axis_.buffer(scratch, kernel), k, lane,
             {r.data, r.count_k, r.count_v, r.step_k, r.step_v, r.conjugated});
    });
  });
  for_products(tile.read, [&](const RecordedProduct& product) { multiply(product, scratch); });
  if (axis_.chirp_before)
    chirp(tile.read, *axis_.chirp_before, axis_.kernel->in(),
          [&](std::size_t kernel) { return axis_.buffer(scratch, kernel); });
}

void TileTransfer::chirp_results(const TilePencils& p, std::byte* const* results) const {
  if (axis_.chirp_after)
    chirp(p, *axis_.chirp_after, axis_.kernel->out(), [&](std::size_t kernel) { return results[kernel]; });
}

void TileTransfer::record_load(const TileInMemory& tile, RecordedTiles& recorded) const {
  for_patches(tile.read, tile.from, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& source) {
    for_kernels(patch.k_lo, v0, source, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      recorded.gathers(kernel, k, lane, r);
    });
  });
  for_products(tile.read, [&](const RecordedProduct& product) { recorded.multiplies(product); });
}

void TileTransfer::replay_load(const RecordedTile& tile, const RecordedTiles::Replay& run, std::byte* scratch) const {
  run.for_gathers(tile, [&](const RecordedMove& m, std::byte* data) {
    gather(axis_.scalar, axis_.in, axis_.buffer(scratch, m.kernel), m.k, m.lane,
           {data, m.count_k, m.count_v, m.step_k, m.step_v, m.conjugated});
  });
  run.for_products(tile, [&](const RecordedProduct& product) { multiply(product, scratch); });
}

void TileTransfer::store(const TileInMemory& tile, std::byte* const* results, const TileRun& how) const {
  const bool in_lines = how.non_temporal();
  for_patches(tile.stored, tile.to, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& target) {
    if (in_lines && !patch.in_plane && suits_staging(target, axis_.element_out()))
      return store_in_lines(patch.k_lo, v0, target, results, how.scale, *how.past_cache);
    for_kernels(patch.k_lo, v0, target, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      scatter(axis_.scalar, axis_.out, results[kernel], k, lane, r, how.scale, how.non_temporal() && !patch.in_plane);
    });
  });
}

void TileTransfer::store_in_lines(Index k0, Index v0, const Rectangle<std::byte>& target, std::byte* const* results,
                                  double scale, PartialLines& partial) const {
  alignas(64) std::array<std::byte, staging_bytes> memory;  // left as it is: only what was put there is stored
  through_staging_tiles(target, axis_.element_out(), axis_.in.pencils, partial.from(k0), memory.data(),
                        [&](const Rectangle<std::byte>& staging, Index k, Index v) {
                          for_kernels(k0 + k, v0 + v, staging,
                                      [&](std::size_t kernel, Index at, Index lane, const Rectangle<std::byte>& r) {
                                        scatter(axis_.scalar, axis_.out, results[kernel], at, lane, r, scale, false);
                                      });
                        });
}

void TileTransfer::record_store(const TileInMemory& tile, RecordedTiles& recorded) const {
  for_patches(tile.stored, tile.to, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& target) {
    for_kernels(patch.k_lo, v0, target, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      recorded.scatters(kernel, k, lane, r);
    });
  });
}

void TileTransfer::replay_store(const RecordedTile& tile, const RecordedTiles::Replay& run, std::byte* const* results,
                                double scale) const {
  run.for_scatters(tile, [&](const RecordedMove& m, std::byte* data) {
    scatter(axis_.scalar, axis_.out, results[m.kernel], m.k, m.lane,
            {data, m.count_k, m.count_v, m.step_k, m.step_v, m.conjugated}, scale, false);
  });
}

}  // namespace shardfft
