// Poisson's equation on the ranks of MPI: mpirun -n 4 poisson_mpi. The solver is the same as with threads.
#include <cstdio>
#include <limits>

#include "poisson.hpp"
#include "shardfft/mpi.hpp"

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  double worst = std::numeric_limits<double>::infinity();
  try {
    const shardfft::Comm comm = shardfft::mpi(MPI_COMM_WORLD);
    worst = poisson_deviation(comm, {48, 40, 45});
    if (comm.rank() == 0) std::printf("poisson on %d ranks: largest deviation %.1e\n", comm.size(), worst);
  } catch (const shardfft::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());  // the same text on every rank
  }
  MPI_Finalize();
  return worst < 1e-12 ? 0 : 1;
}
