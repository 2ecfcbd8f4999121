/* The C interface on the ranks of MPI, from a C99 program. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardfft.h"

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, shardfft_error()); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
    }                                                                                        \
  } while (0)
#define GOOD(call) CHECK((call) == SHARDFFT_OK)

static const int64_t shape[3] = {6, 5, 8};

/* c2c from slabs to pencils; returns the hash of the result. */
static uint64_t transform(shardfft_comm comm, shardfft_problem problem) {
  shardfft_options options;
  shardfft_plan plan;
  shardfft_array in, out;
  int64_t mine, lo[3], hi[3], i, j, k, at = 0;
  int boxes;
  uint64_t hash;
  double* numbers;
  shardfft_verdict verdict = {sizeof verdict, 0, 0, 0};
  const int rank = shardfft_comm_rank(comm);
  GOOD(shardfft_options_create(&options));
  GOOD(shardfft_options_set(options, "input", "slabs:0"));
  GOOD(shardfft_options_set(options, "output", "pencils:0"));
  GOOD(shardfft_plan_create(comm, problem, options, &plan));
  shardfft_options_destroy(options);
  GOOD(shardfft_plan_make_input(plan, &in));
  GOOD(shardfft_plan_make_output(plan, &out));
  GOOD(shardfft_layout_count(shardfft_plan_input(plan), rank, &mine));
  CHECK(shardfft_plan_input_bytes(plan) == (size_t)mine * 2 * sizeof(double));
  GOOD(shardfft_layout_boxes(shardfft_plan_input(plan), rank, &boxes));
  numbers = shardfft_array_data(in);
  if (boxes == 1) {
    GOOD(shardfft_layout_box(shardfft_plan_input(plan), rank, 0, lo, hi));
    for (i = lo[0]; i < hi[0]; ++i)
      for (j = lo[1]; j < hi[1]; ++j)
        for (k = lo[2]; k < hi[2]; ++k, at += 2) {
          numbers[at] = (double)(i * j % 7) + 0.5 * (double)k;
          numbers[at + 1] = (double)(i - k);
        }
  }
  GOOD(shardfft_forward(plan, numbers, shardfft_array_bytes(in), shardfft_array_data(out), shardfft_array_bytes(out)));
  GOOD(shardfft_verify(plan, numbers, shardfft_array_bytes(in), shardfft_array_data(out), shardfft_array_bytes(out),
                       SHARDFFT_FORWARD, &verdict));
  CHECK(verdict.ok == 1);
  GOOD(shardfft_hash_output(plan, shardfft_array_data(out), shardfft_array_bytes(out), &hash));
  shardfft_array_destroy(in);
  shardfft_array_destroy(out);
  GOOD(shardfft_plan_destroy(plan));
  return hash;
}

/* The last rank passes nonsense: all get the same status and the same text. */
static void errors(shardfft_comm comm, shardfft_problem problem) {
  const int ranks = shardfft_comm_size(comm), last = shardfft_comm_rank(comm) == ranks - 1;
  char text[4][512], mine[512];
  shardfft_options options;
  shardfft_plan plan;
  int r;
  CHECK(ranks <= 4);
  GOOD(shardfft_options_create(&options));
  GOOD(shardfft_options_set(options, "input", last ? "slabs:7" : "slabs:0"));
  CHECK(shardfft_plan_create(comm, problem, options, &plan) == SHARDFFT_INVALID_LAYOUT);
  strncpy(mine, shardfft_error(), sizeof mine - 1);
  mine[sizeof mine - 1] = 0;
  GOOD(shardfft_comm_allgather(comm, mine, sizeof mine, text));
  for (r = 0; r < ranks; ++r) CHECK(strcmp(text[r], mine) == 0);
  CHECK(strstr(mine, "got 7"));
  GOOD(shardfft_options_set(options, "input", last ? "slabs:1" : "slabs:0"));
  if (ranks > 1) CHECK(shardfft_plan_create(comm, problem, options, &plan) == SHARDFFT_MISMATCH);
  shardfft_options_destroy(options);
}

/* Ranks destroy their plans in orders of their own, and make another one. */
static void any_order(shardfft_comm comm, shardfft_problem problem) {
  shardfft_plan plans[2];
  const int odd = shardfft_comm_rank(comm) % 2;
  GOOD(shardfft_plan_create(comm, problem, NULL, &plans[0]));
  GOOD(shardfft_plan_create(comm, problem, NULL, &plans[1]));
  GOOD(shardfft_plan_destroy(plans[odd]));
  GOOD(shardfft_plan_destroy(plans[1 - odd]));
  transform(comm, problem);
}

static shardfft_comm kept_comm;
static shardfft_plan kept_plan;

/* Runs after main(), long after MPI_Finalize. */
static void at_exit(void) {
  char numbers[16] = {0};
  if (shardfft_forward(kept_plan, numbers, sizeof numbers, numbers, sizeof numbers) == SHARDFFT_OK) _Exit(3);
  if (shardfft_plan_destroy(kept_plan) != SHARDFFT_OK) _Exit(4);
  shardfft_comm_destroy(kept_comm);
}

int main(int argc, char** argv) {
  MPI_Comm world = MPI_COMM_WORLD;
  shardfft_comm comm, by_fortran, alone;
  shardfft_problem problem;
  uint64_t hash;
  atexit(at_exit);
  MPI_Init(&argc, &argv);
  GOOD(shardfft_comm_mpi(&world, sizeof world, &comm));
  CHECK(strcmp(shardfft_comm_kind(comm), "mpi") == 0);
  CHECK(shardfft_comm_mpi(&world, sizeof world == 4 ? 8 : 4, &alone) == SHARDFFT_INVALID_ARGUMENT);
  CHECK(strstr(shardfft_error(), "of another MPI"));
  CHECK(shardfft_comm_mpi(NULL, sizeof world, &alone) == SHARDFFT_INVALID_ARGUMENT);
  GOOD(shardfft_comm_mpi_f((int)MPI_Comm_c2f(world), &by_fortran));
  CHECK(shardfft_comm_size(by_fortran) == shardfft_comm_size(comm));
  GOOD(shardfft_comm_local(&alone));
  GOOD(shardfft_problem_create(3, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
  hash = transform(alone, problem);
  CHECK(transform(comm, problem) == hash);
  CHECK(transform(by_fortran, problem) == hash);
  errors(comm, problem);
  any_order(comm, problem);
  GOOD(shardfft_plan_create(comm, problem, NULL, &kept_plan));
  kept_comm = comm;
  shardfft_comm_destroy(alone);
  shardfft_comm_destroy(by_fortran);
  shardfft_problem_destroy(problem);
  return MPI_Finalize();
}
