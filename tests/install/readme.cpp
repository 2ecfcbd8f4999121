// The lines of C++ that README shows, as they are but for their size: tests/install/run takes them from there.
#include "readme_top.hpp"

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  bool right = false;
  {
#include "readme_body.hpp"
    right = v.ok();
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
