// Plans of Views over processes.
#include "parts.hpp"
#include "support/ranks/mpi_world.hpp"

namespace shardfft::testing {
namespace {

TEST(kokkos_mpi, ViewsAreTransformedWithinANodeAndBetweenNodes) {
  for (const int ranks_per_node : {8, 1}) {
    const Comm comm = world(ranks_per_node);
    const std::size_t p = static_cast<std::size_t>(comm.size());
    complex_parts<Kokkos::LayoutRight>(comm, {5, 7, 6}, {0, 1, 2}, {p, 1, 1}, {1, p, 1});
    complex_parts<Kokkos::LayoutStride>(comm, {5, 7, 6}, {0, 2}, {1, p, 1}, {1, p, 1});
    real_parts<Kokkos::LayoutLeft>(comm, {6, 4, 5}, {2, 0}, {1, p, 1}, {1, 1, p});
    real_parts<Kokkos::LayoutRight>(comm, {3, 6, 4, 5}, {1, 2, 3}, {1, p, 1, 1}, {1, 1, p, 1});
  }
}

}  // namespace
}  // namespace shardfft::testing
