// What a halo costs: 256 x 256 x 256 of f64, two cells on every side, periodic, one thread for each rank. Beside it the
// time in which a rank copies as many bytes as its halo has from one large array to another.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "shardfft/collective.hpp"
#include "shardfft/mpi.hpp"
#include "shardfft/programs/limit.hpp"
#include "shardfft/shardfft.hpp"

namespace sf = shardfft;

namespace {

/// Milliseconds of the slowest rank, the least of many turns.
template <class Call>
double time_of(const sf::Comm& comm, const Call& call) {
  double least = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 100; ++turn) {
    comm.barrier();
    const double begin = MPI_Wtime();
    call();
    least = std::min(least, sf::all_max(comm, MPI_Wtime() - begin));
  }
  return 1e3 * least;
}

void measure(const sf::Comm& comm, const sf::LayoutSpec& spec, double copy_bytes_per_s) {
  const sf::Shape shape{256, 256, 256};
  const sf::Coord two{2, 2, 2};
  sf::Halo halo(comm, sf::Layout(spec, shape, comm.size()), {.low = two, .high = two, .periodic = {0, 1, 2}},
                sizeof(double), {.threads = 1});
  const sf::Array array = halo.make_array();
  const double bytes = static_cast<double>((halo.grown_box().count() - halo.box().count()) * 8);
  const double filled = time_of(comm, [&] { halo.exchange(array); }),
               added = time_of(comm, [&] { halo.accumulate(array, sf::f64); });
  if (comm.rank() == 0)
    std::printf("| `%s` | %.2f | %.2f | %.2f | %.2f |\n", to_string(spec).c_str(), bytes / 1e6,
                1e3 * 2 * bytes / copy_bytes_per_s, filled, added);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const sf::Comm comm = sf::mpi(MPI_COMM_WORLD);
    const double copy_bytes_per_s = -sf::all_max(comm, -sf::measure_copy_bandwidth(1));
    if (comm.rank() == 0)
      std::printf(
          "%d ranks, each copies %.1f GB/s, read and written\n"
          "| layout | halo of a rank, MB | copied once, ms | exchange, ms | accumulate, ms |\n"
          "|---|---|---|---|---|\n",
          comm.size(), copy_bytes_per_s / 1e9);
    for (const int axis : {0, 1, 2}) measure(comm, sf::slabs(axis), copy_bytes_per_s);
  }
  MPI_Finalize();
}
