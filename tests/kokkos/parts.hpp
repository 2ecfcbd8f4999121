// Distributed arrays of Views: each rank's part of a small whole array.
#pragma once

#include "some_views.hpp"

namespace shardfft::testing {

template <std::size_t rank>
[[nodiscard]] Box box_of(const Shape& shape, const kokkos::topology_type<rank>& grid, const Comm& comm) {
  const std::vector<Box> boxes = Layout(process_grid(grid), shape, comm.size()).boxes(comm.rank());
  return boxes.empty() ? Box{shape, shape} : boxes.front();
}

template <class V>
[[nodiscard]] V part_view(const Shape& shape, const kokkos::topology_type<kokkos::rank_of<V>>& grid, const Comm& comm) {
  std::array<std::size_t, kokkos::rank_of<V>> global{};
  std::copy(shape.begin(), shape.end(), global.begin());
  return view_of_shape<V>(kokkos::local_extents(global, grid, comm));
}

template <class From, class To, std::size_t rank, std::size_t count>
void check_parts(const Comm& comm, const Whole& x, const Whole& wanted, const kokkos::axis_type<count>& axes,
                 const kokkos::topology_type<rank>& grid_in, const kokkos::topology_type<rank>& grid_out) {
  const auto in = part_view<From>(x.shape, grid_in, comm), again = part_view<From>(x.shape, grid_in, comm);
  const auto out = part_view<To>(wanted.shape, grid_out, comm);
  fill(in, x, box_of(x.shape, grid_in, comm));
  const kokkos::Plan plan(Host(), in, out, axes, grid_in, grid_out, comm);
  kokkos::execute(plan, in, out, Direction::forward);
  EXPECT_LT(distance(out, wanted, box_of(wanted.shape, grid_out, comm)), 1e-13);
  kokkos::execute(plan, out, again, Direction::backward);
  EXPECT_LT(distance(again, x, box_of(x.shape, grid_in, comm)), 1e-13);
}

template <class Layout, std::size_t rank, std::size_t count>
void complex_parts(const Comm& comm, const Shape& shape, const int (&axes)[count], const std::size_t (&grid_in)[rank],
                   const std::size_t (&grid_out)[rank]) {
  using V = ViewOf<Kokkos::complex<double>, static_cast<int>(rank), Layout>;
  const Whole x = random_array(shape, true, 3);
  check_parts<V, V>(comm, x, transformed(x, {axes, axes + count}, -1), std::to_array(axes), std::to_array(grid_in),
                    std::to_array(grid_out));
}

template <class Layout, std::size_t rank, std::size_t count>
void real_parts(const Comm& comm, const Shape& shape, const int (&axes)[count], const std::size_t (&grid_in)[rank],
                const std::size_t (&grid_out)[rank]) {
  const Whole x = random_array(shape, false, 4);
  check_parts<ViewOf<double, static_cast<int>(rank), Layout>,
              ViewOf<Kokkos::complex<double>, static_cast<int>(rank), Layout>>(
      comm, x, half(transformed(x, {axes, axes + count}, -1), axes[count - 1]), std::to_array(axes),
      std::to_array(grid_in), std::to_array(grid_out));
}

}  // namespace shardfft::testing
