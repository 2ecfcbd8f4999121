/* A picture is blurred in place: its rows of reals have room for their half spectra, as with FFTW. */
#include <complex.h>
#include <math.h>
#include <shardfft.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call) ((call) ? (fprintf(stderr, "%s\n", shardfft_error()), exit(1)) : (void)0)

enum { rows = 96, columns = 100, half = columns / 2 + 1 };

static union {
  float pixel[rows][2 * half]; /* the last 2 of each row are room */
  float complex mode[rows][half];
} picture;

int main(void) {
  const int64_t shape[] = {rows, columns};
  const double unit = 2 * acos(-1.0), width = 0.05;
  double worst = 0;
  shardfft_comm comm;
  shardfft_problem problem;
  shardfft_options options;
  shardfft_plan plan;

  TRY(shardfft_comm_local(&comm));
  TRY(shardfft_problem_create(2, shape, SHARDFFT_R2C, SHARDFFT_F32, &problem));
  TRY(shardfft_options_create(&options));
  TRY(shardfft_options_set(options, "in_place", "true"));
  TRY(shardfft_options_set(options, "padded_reals", "true"));
  TRY(shardfft_plan_create(comm, problem, options, &plan));

  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) picture.pixel[i][j] = (float)cos(unit * (3.0 * i / rows + 20.0 * j / columns));
  TRY(shardfft_forward(plan, &picture, sizeof picture, &picture, sizeof picture));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < half; ++j) {
      const double k = i <= rows / 2 ? i : i - rows;
      picture.mode[i][j] *= (float)exp(-(k * k + j * j) * width * width / 2);
    }
  TRY(shardfft_backward(plan, &picture, sizeof picture, &picture, sizeof picture));

  const double damped = exp(-(3.0 * 3 + 20 * 20) * width * width / 2); /* of the wave that the picture shows */
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      worst = fmax(worst, fabs(picture.pixel[i][j] - damped * cos(unit * (3.0 * i / rows + 20.0 * j / columns))));
  printf("damped to %.4f, largest error %s 1e-6\n", damped, worst < 1e-6 ? "below" : "above");

  TRY(shardfft_plan_destroy(plan));
  shardfft_options_destroy(options);
  shardfft_problem_destroy(problem);
  shardfft_comm_destroy(comm);
  return worst < 1e-6 ? 0 : 1;
}
