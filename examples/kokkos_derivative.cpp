// Kokkos::Views over MPI ranks: the derivative of u = sin(x) cos(2 y) on [0, 2 pi)^2 along x, which is known.
//   du/dx: u_k becomes i k_x u_k in Fourier space
// The reals are cut into rows, their spectrum into columns: each rank has a part of both.
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "shardfft/collective.hpp"
#include "shardfft/kokkos.hpp"
#include "shardfft/mpi.hpp"

namespace sf = shardfft;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Reals = Kokkos::View<double**, Exec>;
using Complex = Kokkos::View<Kokkos::complex<double>**, Exec>;
using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;
using Pair = std::array<std::size_t, 2>;

constexpr std::size_t n = 48;

template <class V>
Range all_of(const V& view) {
  return Range({0, 0}, {static_cast<std::int64_t>(view.extent(0)), static_cast<std::int64_t>(view.extent(1))});
}

/// A point of this rank, whose first row is `first`.
struct Grid {
  std::size_t first;
  KOKKOS_INLINE_FUNCTION double x(int i) const {
    return step() * static_cast<double>(first + static_cast<std::size_t>(i));
  }
  KOKKOS_INLINE_FUNCTION double y(int j) const { return step() * static_cast<double>(j); }
  KOKKOS_INLINE_FUNCTION static double step() { return 2 * std::numbers::pi / static_cast<double>(n); }
};

/// Root mean square of the error of du/dx = cos(x) cos(2 y).
double deviation(const Reals& u, const Grid& grid, const sf::Comm& comm) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "deviation", all_of(u),
      KOKKOS_LAMBDA(int i, int j, double& squares) {
        const double error = u(i, j) - std::cos(grid.x(i)) * std::cos(2 * grid.y(j));
        squares += error * error;
      },
      sum);
  return std::sqrt(sf::all_sum(comm, sum)) / static_cast<double>(n);
}

int derive(const sf::Comm& comm) {
  const std::size_t ranks = static_cast<std::size_t>(comm.size());
  const Pair points{n, n}, modes{n, n / 2 + 1}, rows{ranks, 1}, columns{1, ranks};
  const Pair mine = sf::kokkos::local_extents(points, rows, comm),
             mine_k = sf::kokkos::local_extents(modes, columns, comm);
  const Reals u("u", mine[0], mine[1]);
  const Complex u_hat("u_hat", mine_k[0], mine_k[1]);
  const Exec exec;
  const sf::kokkos::Plan plan(exec, u, u_hat, sf::kokkos::axis_type<2>{0, 1}, rows, columns, comm);

  const Grid grid{sf::kokkos::local_start(points, rows, comm)[0]};
  Kokkos::parallel_for(
      "u", all_of(u), KOKKOS_LAMBDA(int i, int j) { u(i, j) = std::sin(grid.x(i)) * std::cos(2 * grid.y(j)); });
  execute(plan, u, u_hat, sf::Direction::forward);
  Kokkos::parallel_for(
      "i kx", all_of(u_hat), KOKKOS_LAMBDA(int i, int j) {  // rows of u_hat are whole
        const int half = n / 2, kx = i == half ? 0 : i < half ? i : i - 2 * half;
        u_hat(i, j) *= Kokkos::complex<double>(0, kx);
      });
  execute(plan, u_hat, u, sf::Direction::backward);

  const double error = deviation(u, grid, comm);
  if (comm.rank() == 0) std::printf("du/dx of Views on %d ranks: error %.1e\n", comm.size(), error);
  return error < 1e-12 ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  const int status = derive(sf::mpi(MPI_COMM_WORLD));
  Kokkos::finalize();
  MPI_Finalize();
  return status;
}
