/* What blocks of C without `int main` may take for granted. tools/check_docs puts each into a function with the
 * arguments of SHARDFFT_GIVEN. */
#include <math.h>
#include <shardfft.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARDFFT_GIVEN                                                                                                 \
  shardfft_comm comm, shardfft_problem problem, shardfft_options options, shardfft_plan plan, double *in, double *out, \
      size_t in_bytes, size_t out_bytes, int rank
