// Rows of modes along z, shared among threads.
#pragma once

#include "navier_stokes/modes.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft::solvers {

/// Modes beside each other along z, whose other wave numbers are the same.
struct ModeRow {
  double x = 0, y = 0;  ///< wave numbers
  Index first = 0;      ///< of the component, in complex numbers
  Index count = 0;
  Index at_x = 0, at_y = 0;  ///< in the box
};

/// Calls work(row) for the share of one thread.
template <class Work>
void for_rows_of(TeamMember me, const ModeGrid& grid, Work&& work) {
  const Index nx = grid.box.extent(0), ny = grid.box.extent(1), nz = grid.box.extent(2);
  for (Index i = me.begin(nx * ny), end = me.end(nx * ny); i < end; ++i) {
    const Index x = i / ny, y = i % ny;
    work(ModeRow{grid.wave[0][static_cast<std::size_t>(x)], grid.wave[1][static_cast<std::size_t>(y)], i * nz, nz, x,
                 y});
  }
}

template <class Work>
void for_each_row(const ModeGrid& grid, Work&& work) {
  on_team(grid.threads, [&](TeamMember me) { for_rows_of(me, grid, work); });
}

}  // namespace shardfft::solvers
