// The other half of each problem of docs/tutorial.md: MPI around solve().
#include <cstdio>
#include <shardfft/mpi.hpp>
#include <shardfft/shardfft.hpp>

void solve(const shardfft::Comm& comm);

int main(int argc, char** argv) {
  int threads = 0, status = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  try {
    solve(shardfft::mpi(MPI_COMM_WORLD));
  } catch (const shardfft::Error& error) {  // the same text on every rank
    std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  MPI_Finalize();
  return status;
}
