/* What a program for FFTW-MPI looks like, built without FFTW. */
#include <fftw3-mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  ptrdiff_t rows, first, i;
  fftw_complex* x;
  fftw_plan plan;
  int wrong = 0;
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  x = fftw_alloc_complex((size_t)fftw_mpi_local_size_2d(6, 8, MPI_COMM_WORLD, &rows, &first));
  plan = fftw_mpi_plan_dft_2d(6, 8, x, x, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  for (i = 0; i < rows * 8; ++i) x[i][0] = 1, x[i][1] = 0;
  if (plan == NULL) return 2;
  fftw_execute(plan);
  for (i = 0; i < rows * 8; ++i) wrong += x[i][0] != (first + i == 0 ? 48 : 0) || x[i][1] != 0;
  printf("FFTW-MPI's interface on shardfft: %d wrong numbers\n", wrong);
  fftw_destroy_plan(plan);
  fftw_free(x);
  MPI_Finalize();
  return wrong != 0;
}
