/* What a C program that uses shardfft looks like: a plan, forward, backward, and a look at the result. */
#include <stdio.h>

#include "shardfft.h"

#define TRY(call)                                \
  do {                                           \
    if (call) {                                  \
      fprintf(stderr, "%s\n", shardfft_error()); \
      return 2;                                  \
    }                                            \
  } while (0)

static double larger(double worst, double deviation) {
  if (deviation < 0) deviation = -deviation;
  return deviation > worst ? deviation : worst;
}

int main(void) {
  enum { n = 6 * 7 * 8 };
  static double x[2 * n], spectrum[2 * n], back[2 * n];
  const int64_t shape[] = {6, 7, 8};
  double worst = 0;
  int i;
  shardfft_comm comm;
  shardfft_problem problem;
  shardfft_plan plan;
  TRY(shardfft_comm_local(&comm));
  TRY(shardfft_problem_create(3, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
  TRY(shardfft_plan_create(comm, problem, NULL, &plan));
  x[0] = 3, x[1] = -4; /* an impulse: its spectrum is the same number everywhere */
  TRY(shardfft_forward(plan, x, sizeof x, spectrum, sizeof spectrum));
  TRY(shardfft_backward(plan, spectrum, sizeof spectrum, back, sizeof back));
  for (i = 0; i < 2 * n; ++i) {
    worst = larger(worst, spectrum[i] - x[i % 2]);
    worst = larger(worst, back[i] - x[i]);
  }
  printf("shardfft %s in C, largest deviation %.1e\n", shardfft_version_text(), worst);
  TRY(shardfft_plan_destroy(plan));
  shardfft_problem_destroy(problem);
  shardfft_comm_destroy(comm);
  return worst < 1e-13 ? 0 : 1;
}
