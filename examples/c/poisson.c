/* -laplace(u) = f on a periodic box [0, 2 pi)^3, on the ranks of MPI. In Fourier space u_k = f_k / |k|^2. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <shardfft.h>
#include <stdio.h>

#define TRY(call) ((call) ? (fprintf(stderr, "%s\n", shardfft_error()), MPI_Abort(MPI_COMM_WORLD, 1)) : 0)

static const int64_t n[3] = {48, 40, 36};

static double exact(const int64_t* at) {
  const double unit = 2 * acos(-1.0);
  return sin(unit * at[0] / n[0]) * cos(2 * unit * at[1] / n[1]) * sin(3 * unit * at[2] / n[2]);
}

static double wavenumber(int64_t i, int axis) { return (double)(i <= n[axis] / 2 ? i : i - n[axis]); }

/* The box that this rank owns: all of it is [lo, hi). A rank without elements has none. */
static void my_box(shardfft_layout layout, int rank, int64_t* lo, int64_t* hi) {
  int boxes = 0;
  TRY(shardfft_layout_boxes(layout, rank, &boxes));
  if (boxes > 0) TRY(shardfft_layout_box(layout, rank, 0, lo, hi));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm world = MPI_COMM_WORLD;
  int64_t lo[3] = {0}, hi[3] = {0}, at[3];
  double error = 0, largest = 0;
  shardfft_comm comm;
  shardfft_problem problem;
  shardfft_options options;
  shardfft_plan plan;
  shardfft_array field, modes;

  TRY(shardfft_comm_mpi(&world, sizeof world, &comm));
  const int rank = shardfft_comm_rank(comm);
  TRY(shardfft_problem_create(3, n, SHARDFFT_R2C, SHARDFFT_F64, &problem));
  TRY(shardfft_options_create(&options));
  TRY(shardfft_options_set(options, "input", "pencils:2"));
  TRY(shardfft_options_set(options, "output", "pencils:0"));
  TRY(shardfft_plan_create(comm, problem, options, &plan));
  TRY(shardfft_plan_make_input(plan, &field));
  TRY(shardfft_plan_make_output(plan, &modes));
  double *const u = shardfft_array_data(field), *value = u;
  double complex *const spectrum = shardfft_array_data(modes), *mode = spectrum;
  const size_t u_bytes = shardfft_array_bytes(field), spectrum_bytes = shardfft_array_bytes(modes);

  my_box(shardfft_plan_input(plan), rank, lo, hi);
  for (at[0] = lo[0]; at[0] < hi[0]; ++at[0])
    for (at[1] = lo[1]; at[1] < hi[1]; ++at[1])
      for (at[2] = lo[2]; at[2] < hi[2]; ++at[2]) *value++ = (1 + 4 + 9) * exact(at);
  TRY(shardfft_forward(plan, u, u_bytes, spectrum, spectrum_bytes));

  int64_t first[3] = {0}, last[3] = {0};
  my_box(shardfft_plan_output(plan), rank, first, last);
  for (at[0] = first[0]; at[0] < last[0]; ++at[0])
    for (at[1] = first[1]; at[1] < last[1]; ++at[1])
      for (at[2] = first[2]; at[2] < last[2]; ++at[2], ++mode) {
        const double square =
            pow(wavenumber(at[0], 0), 2) + pow(wavenumber(at[1], 1), 2) + pow(wavenumber(at[2], 2), 2);
        *mode = square == 0 ? 0 : *mode / square;
      }
  TRY(shardfft_backward(plan, spectrum, spectrum_bytes, u, u_bytes)); /* scaled: there and back is nothing */

  value = u;
  for (at[0] = lo[0]; at[0] < hi[0]; ++at[0])
    for (at[1] = lo[1]; at[1] < hi[1]; ++at[1])
      for (at[2] = lo[2]; at[2] < hi[2]; ++at[2]) error = fmax(error, fabs(*value++ - exact(at)));
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, world);
  if (rank == 0) printf("largest error %s 1e-12\n", largest < 1e-12 ? "below" : "above");

  shardfft_array_destroy(field);
  shardfft_array_destroy(modes);
  TRY(shardfft_plan_destroy(plan));
  shardfft_options_destroy(options);
  shardfft_problem_destroy(problem);
  shardfft_comm_destroy(comm);
  MPI_Finalize();
  return largest < 1e-12 ? 0 : 1;
}
