/* The power spectrum of a real field, in one process: which part of its mean square each wavenumber carries. */
#include <complex.h>
#include <math.h>
#include <shardfft.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call) ((call) ? (fprintf(stderr, "%s\n", shardfft_error()), exit(1)) : (void)0)

enum { n = 64, half = n / 2 + 1 };

static double wavenumber(int i) { return i <= n / 2 ? i : i - n; }

int main(void) {
  const int64_t shape[] = {n, n, n};
  const size_t u_bytes = sizeof(double) * n * n * n, modes_bytes = sizeof(double complex) * n * n * half;
  const double step = 2 * acos(-1.0) / n;
  double energy[n] = {0}, *u = malloc(u_bytes);
  double complex* modes = malloc(modes_bytes);
  shardfft_comm comm;
  shardfft_problem problem;
  shardfft_plan plan;
  if (!u || !modes) return 1;

  TRY(shardfft_comm_local(&comm));
  TRY(shardfft_problem_create(3, shape, SHARDFFT_R2C, SHARDFFT_F64, &problem));
  TRY(shardfft_problem_scaling(problem, SHARDFFT_BY_N, SHARDFFT_UNSCALED));
  TRY(shardfft_plan_create(comm, problem, NULL, &plan));

  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) u[(i * n + j) * n + k] = cos(3 * i * step) + sin(5 * j * step) * sin(12 * k * step);
  TRY(shardfft_forward(plan, u, u_bytes, modes, modes_bytes));

  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < half; ++k) {
        const double length = sqrt(pow(wavenumber(i), 2) + pow(wavenumber(j), 2) + k * k);
        const double both = k == 0 || k == n / 2 ? 1 : 2; /* -k, which is not stored, carries as much */
        energy[lround(length)] += both * pow(cabs(modes[(i * n + j) * half + k]), 2);
      }
  for (int shell = 0; shell < n; ++shell)
    if (energy[shell] > 1e-6) printf("shell %2d: energy %.4f\n", shell, energy[shell]);

  TRY(shardfft_plan_destroy(plan));
  shardfft_problem_destroy(problem);
  shardfft_comm_destroy(comm);
  free(u);
  free(modes);
  return fabs(energy[3] - 0.5) < 1e-12 && fabs(energy[13] - 0.25) < 1e-12 ? 0 : 1;
}
