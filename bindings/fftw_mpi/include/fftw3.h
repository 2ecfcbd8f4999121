/* The part of FFTW 3's serial interface that programs on FFTW-MPI plans need, for machines without FFTW: types, flags,
 * and the functions that run and destroy plans, and those of wisdom and threads. libshardfft_fftw3_mpi.so has them. */
#ifndef SHARDFFT_FFTW3_H
#define SHARDFFT_FFTW3_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Directions: the sign of the exponent. */
#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)

/* No limit, for fftw_set_timelimit. */
#define FFTW_NO_TIMELIMIT (-1.0)

/* How hard to plan, and what a run may overwrite. */
#define FFTW_MEASURE (0U)
#define FFTW_DESTROY_INPUT (1U << 0)
#define FFTW_UNALIGNED (1U << 1)
#define FFTW_CONSERVE_MEMORY (1U << 2)
#define FFTW_EXHAUSTIVE (1U << 3)
#define FFTW_PRESERVE_INPUT (1U << 4)
#define FFTW_PATIENT (1U << 5)
#define FFTW_ESTIMATE (1U << 6)
#define FFTW_WISDOM_ONLY (1U << 21)

/* Kinds of r2r, which only FFTW itself can do. */
enum fftw_r2r_kind_do_not_use_me {
  FFTW_R2HC = 0,
  FFTW_HC2R = 1,
  FFTW_DHT = 2,
  FFTW_REDFT00 = 3,
  FFTW_REDFT01 = 4,
  FFTW_REDFT10 = 5,
  FFTW_REDFT11 = 6,
  FFTW_RODFT00 = 7,
  FFTW_RODFT01 = 8,
  FFTW_RODFT10 = 9,
  FFTW_RODFT11 = 10
};

/* As FFTW does: C programs that include <complex.h> first get their own complex type. */
#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex) && defined(I)
#define SHARDFFT_FFTW_COMPLEX(REAL, C) typedef REAL _Complex C
#else
#define SHARDFFT_FFTW_COMPLEX(REAL, C) typedef REAL C[2]
#endif

/* What wisdom and threads are handed to. */
typedef void (*fftw_write_char_func_do_not_use_me)(char c, void* data);
typedef int (*fftw_read_char_func_do_not_use_me)(void* data);
typedef void (*shardfft_fftw_parallel_loop)(void* (*work)(char* job), char* jobs, size_t job_bytes, int count,
                                            void* data);

/* The interface of one precision: X(name) is fftw_name, fftwf_name or fftwl_name. */
#define SHARDFFT_FFTW_SERIAL(X, REAL)                                                     \
  SHARDFFT_FFTW_COMPLEX(REAL, X(complex));                                                \
  typedef struct X(plan_s) * X(plan);                                                     \
  typedef enum fftw_r2r_kind_do_not_use_me X(r2r_kind);                                   \
  void X(execute)(const X(plan) plan);                                                    \
  void X(execute_dft)(const X(plan) plan, X(complex) * in, X(complex) * out);             \
  void X(execute_dft_r2c)(const X(plan) plan, REAL* in, X(complex) * out);                \
  void X(execute_dft_c2r)(const X(plan) plan, X(complex) * in, REAL * out);               \
  void X(execute_r2r)(const X(plan) plan, REAL* in, REAL* out);                           \
  void X(destroy_plan)(X(plan) plan);                                                     \
  X(plan) X(copy_plan)(const X(plan) plan);                                               \
  void X(flops)(const X(plan) plan, double* add, double* multiply, double* multiply_add); \
  double X(cost)(const X(plan) plan);                                                     \
  double X(estimate_cost)(const X(plan) plan);                                            \
  void X(print_plan)(const X(plan) plan);                                                 \
  void X(fprint_plan)(const X(plan) plan, FILE* file);                                    \
  char* X(sprint_plan)(const X(plan) plan);                                               \
  void X(set_timelimit)(double seconds);                                                  \
  void* X(malloc)(size_t bytes);                                                          \
  REAL* X(alloc_real)(size_t count);                                                      \
  X(complex) * X(alloc_complex)(size_t count);                                            \
  void X(free)(void* memory);                                                             \
  typedef fftw_write_char_func_do_not_use_me X(write_char_func);                          \
  typedef fftw_read_char_func_do_not_use_me X(read_char_func);                            \
  typedef shardfft_fftw_parallel_loop X(parallel_loop);                                   \
  int X(init_threads)(void);                                                              \
  void X(plan_with_nthreads)(int threads);                                                \
  int X(planner_nthreads)(void);                                                          \
  void X(make_planner_thread_safe)(void);                                                 \
  void X(threads_set_callback)(X(parallel_loop) loop, void* data);                        \
  void X(cleanup_threads)(void);                                                          \
  char* X(export_wisdom_to_string)(void);                                                 \
  void X(export_wisdom_to_file)(FILE * file);                                             \
  int X(export_wisdom_to_filename)(const char* name);                                     \
  void X(export_wisdom)(X(write_char_func) write, void* data);                            \
  int X(import_system_wisdom)(void);                                                      \
  int X(import_wisdom_from_filename)(const char* name);                                   \
  int X(import_wisdom_from_file)(FILE * file);                                            \
  int X(import_wisdom_from_string)(const char* text);                                     \
  int X(import_wisdom)(X(read_char_func) read, void* data);                               \
  void X(forget_wisdom)(void);                                                            \
  void X(cleanup)(void);

#define SHARDFFT_FFTW_F64(name) fftw_##name
#define SHARDFFT_FFTW_F32(name) fftwf_##name
#define SHARDFFT_FFTW_F80(name) fftwl_##name
SHARDFFT_FFTW_SERIAL(SHARDFFT_FFTW_F64, double)
SHARDFFT_FFTW_SERIAL(SHARDFFT_FFTW_F32, float)
SHARDFFT_FFTW_SERIAL(SHARDFFT_FFTW_F80, long double)

#ifdef __cplusplus
}
#endif

#endif
