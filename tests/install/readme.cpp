// README's program, as it is but for its size (tests/install/run takes it from there), beside one with MPI.
#include <shardfft/mpi.hpp>

#include "readme.hpp"

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  readme();
  bool right = false;
  {
    shardfft::Plan plan(shardfft::mpi(MPI_COMM_WORLD), {.shape = {16, 12, 10}});
    shardfft::Array in = plan.make_input(), out = plan.make_output();
    plan.forward(in, out);
    right = plan.verify(in, out).ok();
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
