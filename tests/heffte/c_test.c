/* heFFTe's interface in C: every function once, against one plane wave. With an argument: what ends a program. */
#include <heffte.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { X = 5, Y = 6, Z = 7, ALL = X * Y * Z };

static int wrong = 0;
static void expect(int right, const char* what) {
  if (right) return;
  ++wrong;
  fprintf(stderr, "wrong: %s\n", what);
}

/* exp(2 pi i y 2 / Y), whose spectrum has one mode; the first rank has all points, the last all modes. */
static void fill(double* d, float* s, int step) {
  const double turn = 8 * atan(1.0);
  int i, part;
  for (i = 0; i < ALL; ++i)
    for (part = 0; part < step; ++part) {
      const double angle = turn * 2 * (i / X % Y) / Y, value = part == 0 ? cos(angle) : sin(angle);
      d[step * i + part] = value;
      s[step * i + part] = (float)value;
    }
}
static double mode(const double* d, int x, int y, int width) { return d[2 * (x + width * y)]; }
static double mode_f(const float* d, int x, int y, int width) { return d[2 * (x + width * y)]; }

static void transform_complex(heffte_plan plan, int first, int last) {
  double *d = calloc(2 * ALL, sizeof *d), *d_hat = calloc(2 * ALL, sizeof *d), *back = calloc(2 * ALL, sizeof *d);
  float *s = calloc(2 * ALL, sizeof *s), *s_hat = calloc(2 * ALL, sizeof *s), *s_back = calloc(2 * ALL, sizeof *s);
  fill(d, s, 2);
  heffte_forward_z2z(plan, d, d_hat, Heffte_SCALE_NONE);
  heffte_forward_c2c(plan, s, s_hat, Heffte_SCALE_FULL);
  if (last) {
    expect(fabs(mode(d_hat, 0, 2, X) - ALL) < 1e-10 && fabs(mode(d_hat, 0, 4, X)) < 1e-10, "z2z");
    expect(fabs(mode_f(s_hat, 0, 2, X) - 1) < 1e-5, "c2c");
  }
  heffte_backward_z2z_buffered(plan, d_hat, back, NULL, Heffte_SCALE_FULL);
  heffte_backward_c2c_buffered(plan, s_hat, s_back, NULL, Heffte_SCALE_NONE);
  if (first) expect(fabs(back[2 * X] - d[2 * X]) < 1e-12 && fabs(s_back[2 * X] - s[2 * X]) < 1e-5, "back");
  heffte_forward_z2z_buffered(plan, d, d_hat, NULL, Heffte_SCALE_SYMMETRIC);
  heffte_backward_z2z(plan, d_hat, back, Heffte_SCALE_SYMMETRIC);
  heffte_forward_c2c_buffered(plan, s, s_hat, NULL, Heffte_SCALE_SYMMETRIC);
  heffte_backward_c2c(plan, s_hat, s_back, Heffte_SCALE_SYMMETRIC);
  if (first) expect(fabs(back[2 * X + 1] - d[2 * X + 1]) < 1e-12, "symmetric");
  free(d), free(d_hat), free(back), free(s), free(s_hat), free(s_back);
}

static void transform_reals(heffte_plan plan, int first, int last, int width) {
  double *d = calloc(ALL, sizeof *d), *d_hat = calloc(2 * ALL, sizeof *d), *back = calloc(ALL, sizeof *d);
  float *s = calloc(ALL, sizeof *s), *s_hat = calloc(2 * ALL, sizeof *s), *s_back = calloc(ALL, sizeof *s);
  fill(d, s, 1);
  heffte_forward_d2z(plan, d, d_hat, Heffte_SCALE_FULL);
  heffte_forward_s2c(plan, s, s_hat, Heffte_SCALE_FULL);
  if (last) {
    expect(fabs(mode(d_hat, 0, 2, width) - 0.5) < 1e-12 && fabs(mode(d_hat, 0, 4, width) - 0.5) < 1e-12, "d2z");
    expect(fabs(mode_f(s_hat, 0, 4, width) - 0.5) < 1e-5, "s2c");
  }
  heffte_backward_z2d(plan, d_hat, back, Heffte_SCALE_NONE);
  heffte_backward_c2s(plan, s_hat, s_back, Heffte_SCALE_NONE);
  if (first) expect(fabs(back[X] - d[X]) < 1e-12 && fabs(s_back[X] - s[X]) < 1e-5, "back to reals");
  heffte_forward_d2z_buffered(plan, d, d_hat, NULL, Heffte_SCALE_FULL);
  heffte_backward_z2d_buffered(plan, d_hat, back, NULL, Heffte_SCALE_NONE);
  heffte_forward_s2c_buffered(plan, s, s_hat, NULL, Heffte_SCALE_FULL);
  heffte_backward_c2s_buffered(plan, s_hat, s_back, NULL, Heffte_SCALE_NONE);
  if (first) expect(fabs(back[X] - d[X]) < 1e-12 && fabs(s_back[X] - s[X]) < 1e-5, "back to reals, buffered");
  free(d), free(d_hat), free(back), free(s), free(s_hat), free(s_back);
}

int main(int argc, char** argv) {
  const int low[3] = {0, 0, 0}, high[3] = {X - 1, Y - 1, Z - 1}, half[3] = {X / 2, Y - 1, Z - 1};
  const int none[3] = {-1, -1, -1}, order[3] = {0, 1, 2};
  int rank, ranks, first, last;
  heffte_plan plan = NULL;
  heffte_plan_options options;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  first = rank == 0, last = rank == ranks - 1;

  expect(heffte_set_default_options(Heffte_BACKEND_STOCK, &options) == Heffte_SUCCESS, "options");
  expect(heffte_plan_create(Heffte_BACKEND_FFTW, low, first ? high : none, NULL, low, last ? high : none, order,
                            MPI_COMM_WORLD, &options, &plan) == Heffte_SUCCESS,
         "create");
  expect(heffte_size_inbox(plan) == (first ? ALL : 0) && heffte_size_outbox(plan) == (last ? ALL : 0), "sizes");
  expect(heffte_get_backend(plan) == Heffte_BACKEND_FFTW && !heffte_is_r2c(plan), "what it is");
  expect(heffte_size_workspace(plan) == 0, "workspace");
  transform_complex(plan, first, last);
  transform_reals(plan, first, last, X);
  if (argc > 1) heffte_forward_z2z(plan, NULL, NULL, 7);
  expect(heffte_plan_destroy(plan) == Heffte_SUCCESS, "destroy");

  expect(heffte_plan_create_r2c(Heffte_BACKEND_STOCK, low, first ? high : none, NULL, low, last ? half : none, NULL, 0,
                                MPI_COMM_WORLD, NULL, &plan) == Heffte_SUCCESS,
         "create_r2c");
  expect(heffte_is_r2c(plan), "half a spectrum");
  transform_reals(plan, first, last, X / 2 + 1);
  heffte_plan_destroy(plan);

  expect(heffte_plan_create(77, low, high, NULL, low, high, NULL, MPI_COMM_WORLD, NULL, &plan) == 1, "no backend");
  expect(heffte_plan_create(0, low, none, NULL, low, none, NULL, MPI_COMM_WORLD, NULL, &plan) == 2, "no elements");
  MPI_Finalize();
  return wrong != 0;
}
