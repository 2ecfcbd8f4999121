// Grids of processes, for libraries that have pencils.
#pragma once

#include <mpi.h>

#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "peer.hpp"

namespace shardfft::peers {

/// rows along axis 0 of the input and axis 1 of the spectrum, columns along axis 1 of the input and axis 2 of the
/// spectrum.
struct ProcessGrid {
  int rows = 0, columns = 0;
  [[nodiscard]] std::string text() const { return fmt::format("{} x {} processes", rows, columns); }
};

/// The grid that was asked for; nothing where the library may choose. Throws Unsupported where it was asked for with
/// other layouts than pencils, for which only shardfft has grids in between.
[[nodiscard]] inline std::optional<ProcessGrid> named_grid(const Task& task) {
  if (task.grid.dims() == 0) return std::nullopt;
  if (task.layout != "pencils" || task.shape.dims() != 3)
    throw Unsupported("takes a process grid for pencils of 3 dimensions only");
  return ProcessGrid{static_cast<int>(task.grid[0]), static_cast<int>(task.grid[1])};
}

/// The grid that was asked for, or as square as the number of ranks allows.
[[nodiscard]] inline ProcessGrid grid_for(const Task& task, int ranks) {
  if (const auto named = named_grid(task)) return *named;
  std::array<int, 2> n{};
  MPI_Dims_create(ranks, 2, n.data());
  return {n[0], n[1]};
}

}  // namespace shardfft::peers
