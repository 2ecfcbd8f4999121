// What FFTW-MPI's interface costs: fftw_execute beside shardfft_forward, on the same arrays and layouts, turn by turn.
// Natural order, as FFTW has it: rows of reals are padded.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <vector>

#include "fftw3-mpi.h"
#include "shardfft.h"

namespace {

void good(int status) {
  if (status == 0) return;
  std::fprintf(stderr, "%s\n", shardfft_error());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/// Seconds of the slowest rank.
template <class Call>
double time_of(const Call& call) {
  MPI_Barrier(MPI_COMM_WORLD);
  double mine = -MPI_Wtime(), slowest = 0;
  call();
  mine += MPI_Wtime();
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

shardfft_plan plan_of(shardfft_comm comm, std::ptrdiff_t n, bool real) {
  const int64_t shape[] = {n, n, n};
  shardfft_problem problem = nullptr;
  shardfft_options options = nullptr;
  shardfft_plan plan = nullptr;
  good(shardfft_problem_create(3, shape, real ? SHARDFFT_R2C : SHARDFFT_C2C, SHARDFFT_F64, &problem));
  good(shardfft_options_create(&options));
  good(shardfft_options_set(options, "threads", "1"));
  good(shardfft_options_set(options, "input", "slabs:0"));
  good(shardfft_options_set(options, "output", "slabs:0"));
  if (real) good(shardfft_options_set(options, "padded_reals", "true"));
  good(shardfft_plan_create(comm, problem, options, &plan));
  shardfft_options_destroy(options);
  shardfft_problem_destroy(problem);
  return plan;
}

void compare(shardfft_comm comm, std::ptrdiff_t n, bool real) {
  constexpr int turns = 400;
  std::ptrdiff_t rows = 0, first = 0;
  const std::ptrdiff_t complexes = fftw_mpi_local_size_3d(n, n, real ? n / 2 + 1 : n, MPI_COMM_WORLD, &rows, &first);
  double* in = fftw_alloc_real(static_cast<std::size_t>(2 * complexes));
  fftw_complex* out = fftw_alloc_complex(static_cast<std::size_t>(complexes));
  const fftw_plan fftw = real ? fftw_mpi_plan_dft_r2c_3d(n, n, n, in, out, MPI_COMM_WORLD, FFTW_ESTIMATE)
                              : fftw_mpi_plan_dft_3d(n, n, n, reinterpret_cast<fftw_complex*>(in), out, MPI_COMM_WORLD,
                                                     FFTW_FORWARD, FFTW_ESTIMATE);
  shardfft_plan plan = plan_of(comm, n, real);
  for (std::ptrdiff_t i = 0; i < 2 * complexes; ++i) in[i] = std::sin(0.7 * static_cast<double>(i + first));

  const std::size_t in_bytes = shardfft_plan_input_bytes(plan), out_bytes = shardfft_plan_output_bytes(plan);
  double by_fftw = std::numeric_limits<double>::infinity(), by_c = by_fftw;
  for (int turn = 0; turn < turns; ++turn) {
    by_fftw = std::min(by_fftw, time_of([&] { fftw_execute(fftw); }));
    by_c = std::min(by_c, time_of([&] { good(shardfft_forward(plan, in, in_bytes, out, out_bytes)); }));
  }
  if (shardfft_comm_rank(comm) == 0)
    std::printf("%3d^3 %s: fftw_execute %9.2f us, shardfft_forward %9.2f us, ratio %.3f\n", static_cast<int>(n),
                real ? "r2c" : "c2c", 1e6 * by_fftw, 1e6 * by_c, by_fftw / by_c);
  good(shardfft_plan_destroy(plan));
  fftw_destroy_plan(fftw);
  fftw_free(out);
  fftw_free(in);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm world = MPI_COMM_WORLD;
  shardfft_comm comm = nullptr;
  good(shardfft_comm_mpi(&world, sizeof world, &comm));
  for (const bool real : {false, true})
    for (const std::ptrdiff_t n : {8, 64, 128}) compare(comm, n, real);
  shardfft_comm_destroy(comm);
  MPI_Finalize();
}
