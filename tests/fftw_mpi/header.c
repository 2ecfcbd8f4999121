/* The headers for machines without FFTW are C99, and C++. */
#include <fftw3-mpi.h>

int main(void) {
  fftw_plan plan = 0;
  fftwf_complex* x = 0;
  return plan != 0 || x != 0 || FFTW_MPI_DEFAULT_BLOCK != 0;
}
