/* The same transforms from C: hashes of input and output of the array of checks.f90, whose axes are here k, j, i. */
#include <shardfft.h>
#include <stdint.h>

/* Axes and words of layouts are those of C: the order of axes, and with it the last bit, depends on the words. Returns
 * 0, or the number of an error. */
int hashes_by_c(const int64_t* shape, int count, const int* axes, int kind, const char* input, const char* output,
                uint64_t* of_input, uint64_t* of_output) {
  static double in[2 * 105], out[2 * 105];
  shardfft_comm comm;
  shardfft_problem problem;
  shardfft_options options;
  shardfft_plan plan;
  int64_t i, j, k, at = 0;
  int status;
  if ((status = shardfft_comm_local(&comm)) ||
      (status = shardfft_problem_create(3, shape, kind, SHARDFFT_F64, &problem)) ||
      (status = shardfft_problem_axes(problem, count, axes)) || (status = shardfft_options_create(&options)) ||
      (status = shardfft_options_set(options, "input", input)) ||
      (status = shardfft_options_set(options, "output", output)) ||
      (status = shardfft_plan_create(comm, problem, options, &plan)))
    return status;
  for (k = 1; k <= shape[0]; ++k)
    for (j = 1; j <= shape[1]; ++j)
      for (i = 1; i <= shape[2]; ++i) {
        in[at++] = (double)((7 * k + 3 * j + i) % 11) - 0.125 * (double)(i * j % 5);
        if (kind == SHARDFFT_C2C) in[at++] = (double)((i * k + 2 * j) % 7);
      }
  if ((status = shardfft_forward(plan, in, sizeof in, out, sizeof out)) ||
      (status = shardfft_hash_input(plan, in, sizeof in, of_input)) ||
      (status = shardfft_hash_output(plan, out, sizeof out, of_output)))
    return status;
  shardfft_options_destroy(options);
  shardfft_problem_destroy(problem);
  shardfft_comm_destroy(comm);
  return shardfft_plan_destroy(plan);
}
