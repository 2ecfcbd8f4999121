// Which part of a distributed array is whose: ranks along each axis of the Views.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "shardfft/collective.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/kokkos/asked.hpp"
#include "shardfft/layout.hpp"

namespace shardfft::kokkos {

/// Ranks along each axis; rank = row-major position. Ranks beyond the product own nothing.
template <std::size_t Rank>
using topology_type = std::array<std::size_t, Rank>;

/// Extents of this rank's View: n elements over p ranks are n/p each, and one more on the first n mod p; all 0 on a
/// rank that owns nothing. Throws Error(invalid_layout) for more ranks than there are.
template <std::size_t Rank>
[[nodiscard]] std::array<std::size_t, Rank> local_extents(const std::array<std::size_t, Rank>& global,
                                                          const topology_type<Rank>& topology, const Comm& comm) {
  const std::vector<Box> boxes = Layout(process_grid(topology), global, comm.size()).boxes(comm.rank());
  std::array<std::size_t, Rank> extents{};
  for (std::size_t a = 0; a < Rank && !boxes.empty(); ++a)
    extents[a] = static_cast<std::size_t>(boxes.front().extent(static_cast<int>(a)));
  return extents;
}

/// Global index of the first element of this rank's View; all 0 on a rank that owns nothing.
template <std::size_t Rank>
[[nodiscard]] std::array<std::size_t, Rank> local_start(const std::array<std::size_t, Rank>& global,
                                                        const topology_type<Rank>& topology, const Comm& comm) {
  const std::vector<Box> boxes = Layout(process_grid(topology), global, comm.size()).boxes(comm.rank());
  std::array<std::size_t, Rank> start{};
  for (std::size_t a = 0; a < Rank && !boxes.empty(); ++a)
    start[a] = static_cast<std::size_t>(boxes.front().lo[static_cast<int>(a)]);
  return start;
}

/// What a rank says of its two Views.
struct Said {
  std::array<Index, max_dims> input{}, output{}, input_strides{}, output_strides{};
  bool in_place = false;

  static std::array<Index, max_dims> numbers(const Coord& c) {
    std::array<Index, max_dims> all{};
    std::copy(c.begin(), c.end(), all.begin());
    return all;
  }
};

/// Collective: what all ranks say.
[[nodiscard]] inline std::vector<Said> heard(const Comm& comm, const Said& mine) {
  std::vector<Said> all(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// Extents of the whole array: along each axis, those of the ranks at the start of all other axes together.
/// Throws Error(invalid_layout) for a topology of more ranks than there are.
[[nodiscard]] inline Shape global_shape(const Coord& grid, const std::vector<Said>& all,
                                        std::array<Index, max_dims> Said::* side) {
  if (product(grid) > static_cast<Index>(all.size()))
    throw Error(Status::invalid_layout, "a topology has at most as many ranks as there are, " +
                                            std::to_string(all.size()) + "; got " + to_string(grid) +
                                            "; make it smaller or start more ranks");
  Shape global = Coord::filled(grid.dims(), 0);
  Index step = 1;  // ranks from one position along the axis to the next
  for (int a = grid.dims() - 1; a >= 0; step *= grid[a--])
    for (Index i = 0; i < grid[a]; ++i)
      global[a] += (all.at(static_cast<std::size_t>(i * step)).*side)[static_cast<std::size_t>(a)];
  return global;
}

/// Throws Error(invalid_layout) unless both Views of a rank are as empty as the whole array.
inline void require_nothing(const Strided& input, const Strided& output) {
  if (input.count() > 0 || output.count() > 0)
    throw Error(Status::invalid_layout, "an array without elements has none on any rank; got Views of " +
                                            to_string(input.extents) + " and " + to_string(output.extents) +
                                            "; allocate them with local_extents()");
}

/// Throws Error(invalid_layout) unless the rank's View has the extents of its box.
inline void require_own_part(const std::string& side, const Layout& layout, int rank, const Shape& got) {
  const std::vector<Box> boxes = layout.boxes(rank);
  const Shape wanted = boxes.empty() ? Coord::filled(got.dims(), 0) : boxes.front().shape();
  if (!(got == wanted) && !(boxes.empty() && product(got) == 0))
    throw Error(Status::invalid_layout, "of " + to_string(layout.global()) + " elements over " +
                                            to_string(layout.grid()) + " ranks the " + side + " View holds " +
                                            to_string(wanted) + "; got " + to_string(got) +
                                            "; allocate it with local_extents()");
}

}  // namespace shardfft::kokkos
