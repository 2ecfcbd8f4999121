// How a tile lies in memory: visitors of TilePass, for its own files.
#pragma once

#include <algorithm>

#include "support/memory/unset_array.hpp"
#include "sweep/host/tile_moves.hpp"
#include "sweep/host/tiles.hpp"

namespace shardfft {

// Rows of a wide tile that are moved before the next kernel's columns: few enough pages to stay in the first-level TLB.
inline constexpr Index rows_at_once = 32;

// Visits the parts of a run of pencils that lie in one row: visit(position of the first, number within the tile, how
// many).
template <class Visit>
void TilePass::for_segments(const Pencils& p, Visit visit) {
  Index done = std::min(p.begin.left_in_row, p.count);
  visit(p.begin.at, Index{0}, done);
  while (done < p.count) {
    const PencilAt next = pencil_at(p.box, p.walk, p.first + done);
    const Index here = std::min(next.left_in_row, p.count - done);
    visit(next.at, done, here);
    done += here;
  }
}

// Visits what a tile and the patches of its rows share: visit(the patch's part of the row, pencil of the tile at which
// it begins, place).
template <class Visit>
void TilePass::for_patches(const Pencils& p, Rows& rows, Visit visit) {
  const Walk& walk = p.walk;
  for_segments(p, [&](const Coord& at, Index in_tile, Index here) {
    const Index v_start = walk.lane < 0 ? 0 : at[walk.lane];
    for (const RowPatch& r : rows.row(at)) {
      const Index lo = std::max(v_start, r.v_lo), hi = std::min(v_start + here, r.v_hi);
      if (lo >= hi) continue;
      visit(r, in_tile + lo - v_start,
            Rectangle<std::byte>{r.origin + r.k_lo * r.step_k + lo * r.step_v, r.k_hi - r.k_lo, hi - lo, r.step_k,
                                 r.step_v, r.conjugated});
    }
  });
}

// Cuts a rectangle, from element `k0` of pencil `v0` of the tile on, into pieces that lie in one kernel's tile:
// move(kernel number, element, lane, piece).
template <class Move>
void TilePass::for_kernels(Index k0, Index v0, const Rectangle<std::byte>& r, Move move) const {
  const Index own = in_.pencils, block = pencils() == own ? r.count_k : rows_at_once;
  for (Index k = 0; k < r.count_k; k += block)
    for (Index v = 0; v < r.count_v;) {
      const Index lane = v0 + v, n = std::min(r.count_v - v, own - lane % own);
      move(static_cast<std::size_t>(lane / own), k0 + k, lane % own,
           Rectangle<std::byte>{r.data + k * r.step_k + v * r.step_v, std::min(block, r.count_k - k), n, r.step_k,
                                r.step_v, r.conjugated});  // written as in find_ends, not copied
      v += n;
    }
}

template <class Move>
void TilePass::for_gathers(const Pencils& p, Rows& from, Move move) const {
  for_patches(p, from, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& source) {
    for_kernels(patch.k_lo, v0, source, move);
  });
}

template <class Multiply>
void TilePass::for_products(const Pencils& p, Multiply multiply) const {
  if (!twiddles_) return;
  const Index own = own_;
  const bool along = p.walk.lane == other_;
  for_segments(p, [&](const Coord& at, Index in_tile, Index here) {
    for (Index done = 0; done < here;) {
      const Index lane = in_tile + done, other = at[other_] + (along ? done : 0);
      const Index left = along ? other_map_.left_of_owner(other) : here;
      const Index n = std::min({here - done, own - lane % own, left});
      multiply(RecordedProduct{static_cast<std::uint32_t>(lane / own), lane % own, n, other_map_.index(other),
                               along ? other_map_.owners : 0});
      done += n;
    }
  });
}

template <class Load, class Store>
void TilePass::transform(Ends& ends, Index pencils, std::byte* scratch, Load load, Store store) const {
  UnsetArray<std::byte*, max_kernels_per_tile> results;
  if (!ends.has_from) load();
  if (ends.any()) {
    const TilesInRow tiles = in_row(pencils);
    std::byte* const result =
        kernel_->run_rows(ends.has_from ? ends.from.data() : nullptr, ends.has_to ? ends.to.data() : nullptr, tiles,
                          scratch, scratch + half_);
    for (int i = 0; i < tiles.count && !ends.has_to; ++i)
      results[static_cast<std::size_t>(i)] = result + i * tiles.apart;
  } else {
    for (Index i = 0; i * own_ < pencils; ++i) {
      std::byte* a = buffer(scratch, static_cast<std::size_t>(i));
      if (pencils - i * own_ < own_) clear_pencils(scalar_, kernel_->in(), a, pencils - i * own_);
      results[static_cast<std::size_t>(i)] = kernel_->run(a, a + half_);
    }
  }
  if (!ends.has_to) store(results.data());
}

}  // namespace shardfft
