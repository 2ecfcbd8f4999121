// Visitors of what a tile has in memory.
#pragma once

#include <algorithm>

#include "sweep/host/paths/tile_path.hpp"
#include "sweep/host/tile_moves.hpp"

namespace shardfft {

/// Visits the parts of a run of pencils that lie in one row: visit(position of the first, number within the tile, how
/// many).
template <class Visit>
void for_segments(const TilePencils& p, Visit visit) {
  Index done = std::min(p.begin.left_in_row, p.count);
  visit(p.begin.at, Index{0}, done);
  while (done < p.count) {
    const PencilAt next = pencil_at(p.box, p.walk, p.first + done);
    const Index here = std::min(next.left_in_row, p.count - done);
    visit(next.at, done, here);
    done += here;
  }
}

/// Visits what a tile and the patches of its rows share: visit(the patch's part of the row, pencil of the tile at which
/// it begins, place).
template <class Visit>
void for_patches(const TilePencils& p, PencilRows& rows, Visit visit) {
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

}  // namespace shardfft
