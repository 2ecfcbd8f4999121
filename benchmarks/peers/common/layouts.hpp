// The layouts of one field in shardfft's words, for libraries that take any boxes.
#pragma once

#include "options/words.hpp"
#include "peer.hpp"

namespace shardfft::peers {

/// Pencils whose cut axes are the two from `first` on.
[[nodiscard]] inline LayoutSpec cut_by(const Coord& grid, int dims, int first) {
  Coord processes = Coord::filled(dims, 1);
  processes[first] = grid[0], processes[first + 1] = grid[1];
  return process_grid(processes);
}

/// Those that the task's word means; pencils are cut by its grid where it names one.
[[nodiscard]] inline cli::LayoutPair layouts_of_a_field(const Task& task) {
  const int dims = task.shape.dims();
  if (task.grid.dims() > 0 && task.layout == "pencils") return {cut_by(task.grid, dims, 0), cut_by(task.grid, dims, 1)};
  return cli::parse_layout_pair(task.layout, dims);
}

}  // namespace shardfft::peers
