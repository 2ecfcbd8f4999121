/* FFTW 3's MPI interface, for programs on libshardfft_fftw3_mpi.so and machines without FFTW. What the functions do:
 * FFTW's manual; what is different here: docs/guide/from/fftw_mpi.md. */
#ifndef SHARDFFT_FFTW3_MPI_H
#define SHARDFFT_FFTW3_MPI_H

#include <fftw3.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As block size: extents divided by the number of ranks, rounded up. */
#define FFTW_MPI_DEFAULT_BLOCK (0)

/* Where data may lie in another order. */
#define FFTW_MPI_SCRAMBLED_IN (1U << 27)
#define FFTW_MPI_SCRAMBLED_OUT (1U << 28)
#define FFTW_MPI_TRANSPOSED_IN (1U << 29)
#define FFTW_MPI_TRANSPOSED_OUT (1U << 30)

/* The interface of one precision, as SHARDFFT_FFTW_SERIAL. */
#define SHARDFFT_FFTW_MPI(X, REAL)                                                                                    \
  void X(mpi_init)(void);                                                                                             \
  void X(mpi_cleanup)(void);                                                                                          \
  ptrdiff_t X(mpi_local_size)(int rank, const ptrdiff_t* n, MPI_Comm comm, ptrdiff_t* local_n0,                       \
                              ptrdiff_t* local_0_start);                                                              \
  ptrdiff_t X(mpi_local_size_2d)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t* local_n0,                      \
                                 ptrdiff_t* local_0_start);                                                           \
  ptrdiff_t X(mpi_local_size_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm, ptrdiff_t* local_n0,        \
                                 ptrdiff_t* local_0_start);                                                           \
  ptrdiff_t X(mpi_local_size_many)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block0, MPI_Comm comm,  \
                                   ptrdiff_t* local_n0, ptrdiff_t* local_0_start);                                    \
  ptrdiff_t X(mpi_local_size_transposed)(int rank, const ptrdiff_t* n, MPI_Comm comm, ptrdiff_t* local_n0,            \
                                         ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start);    \
  ptrdiff_t X(mpi_local_size_2d_transposed)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t* local_n0,           \
                                            ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start); \
  ptrdiff_t X(mpi_local_size_3d_transposed)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,                  \
                                            ptrdiff_t* local_n0, ptrdiff_t* local_0_start, ptrdiff_t* local_n1,       \
                                            ptrdiff_t* local_1_start);                                                \
  ptrdiff_t X(mpi_local_size_many_transposed)(                                                                        \
      int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm,             \
      ptrdiff_t* local_n0, ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start);                  \
  ptrdiff_t X(mpi_local_size_1d)(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags, ptrdiff_t* local_ni,          \
                                 ptrdiff_t* local_i_start, ptrdiff_t* local_no, ptrdiff_t* local_o_start);            \
  ptrdiff_t X(mpi_local_size_many_1d)(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm, int sign, unsigned flags,       \
                                      ptrdiff_t* local_ni, ptrdiff_t* local_i_start, ptrdiff_t* local_no,             \
                                      ptrdiff_t* local_o_start);                                                      \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_1d)(ptrdiff_t n0, X(complex) * in, X(complex) * out, MPI_Comm comm, int sign, unsigned flags);       \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_2d)(ptrdiff_t n0, ptrdiff_t n1, X(complex) * in, X(complex) * out, MPI_Comm comm, int sign,          \
                     unsigned flags);                                                                                 \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, X(complex) * in, X(complex) * out, MPI_Comm comm,      \
                     int sign, unsigned flags);                                                                       \
  X(plan)                                                                                                             \
  X(mpi_plan_dft)(int rank, const ptrdiff_t* n, X(complex) * in, X(complex) * out, MPI_Comm comm, int sign,           \
                  unsigned flags);                                                                                    \
  X(plan)                                                                                                             \
  X(mpi_plan_many_dft)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t in_block, ptrdiff_t out_block,      \
                       X(complex) * in, X(complex) * out, MPI_Comm comm, int sign, unsigned flags);                   \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_r2c_2d)(ptrdiff_t n0, ptrdiff_t n1, REAL* in, X(complex) * out, MPI_Comm comm, unsigned flags);      \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_r2c_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, REAL* in, X(complex) * out, MPI_Comm comm,         \
                         unsigned flags);                                                                             \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_r2c)(int rank, const ptrdiff_t* n, REAL* in, X(complex) * out, MPI_Comm comm, unsigned flags);       \
  X(plan)                                                                                                             \
  X(mpi_plan_many_dft_r2c)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t in_block, ptrdiff_t out_block,  \
                           REAL* in, X(complex) * out, MPI_Comm comm, unsigned flags);                                \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_c2r_2d)(ptrdiff_t n0, ptrdiff_t n1, X(complex) * in, REAL * out, MPI_Comm comm, unsigned flags);     \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_c2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, X(complex) * in, REAL * out, MPI_Comm comm,        \
                         unsigned flags);                                                                             \
  X(plan)                                                                                                             \
  X(mpi_plan_dft_c2r)(int rank, const ptrdiff_t* n, X(complex) * in, REAL * out, MPI_Comm comm, unsigned flags);      \
  X(plan)                                                                                                             \
  X(mpi_plan_many_dft_c2r)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t in_block, ptrdiff_t out_block,  \
                           X(complex) * in, REAL * out, MPI_Comm comm, unsigned flags);                               \
  X(plan)                                                                                                             \
  X(mpi_plan_r2r_2d)(ptrdiff_t n0, ptrdiff_t n1, REAL* in, REAL* out, MPI_Comm comm, X(r2r_kind) kind0,               \
                     X(r2r_kind) kind1, unsigned flags);                                                              \
  X(plan)                                                                                                             \
  X(mpi_plan_r2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, REAL* in, REAL* out, MPI_Comm comm, X(r2r_kind) kind0, \
                     X(r2r_kind) kind1, X(r2r_kind) kind2, unsigned flags);                                           \
  X(plan)                                                                                                             \
  X(mpi_plan_r2r)(int rank, const ptrdiff_t* n, REAL* in, REAL* out, MPI_Comm comm, const X(r2r_kind) * kind,         \
                  unsigned flags);                                                                                    \
  X(plan)                                                                                                             \
  X(mpi_plan_many_r2r)(int rank, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t in_block, ptrdiff_t out_block,      \
                       REAL* in, REAL* out, MPI_Comm comm, const X(r2r_kind) * kind, unsigned flags);                 \
  X(plan) X(mpi_plan_transpose)(ptrdiff_t n0, ptrdiff_t n1, REAL* in, REAL* out, MPI_Comm comm, unsigned flags);      \
  X(plan)                                                                                                             \
  X(mpi_plan_many_transpose)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1,       \
                             REAL* in, REAL* out, MPI_Comm comm, unsigned flags);                                     \
  void X(mpi_execute_dft)(X(plan) plan, X(complex) * in, X(complex) * out);                                           \
  void X(mpi_execute_dft_r2c)(X(plan) plan, REAL * in, X(complex) * out);                                             \
  void X(mpi_execute_dft_c2r)(X(plan) plan, X(complex) * in, REAL * out);                                             \
  void X(mpi_execute_r2r)(X(plan) plan, REAL * in, REAL * out);                                                       \
  void X(mpi_gather_wisdom)(MPI_Comm comm);                                                                           \
  void X(mpi_broadcast_wisdom)(MPI_Comm comm);

SHARDFFT_FFTW_MPI(SHARDFFT_FFTW_F64, double)
SHARDFFT_FFTW_MPI(SHARDFFT_FFTW_F32, float)
SHARDFFT_FFTW_MPI(SHARDFFT_FFTW_F80, long double)

#ifdef __cplusplus
}
#endif

#endif
