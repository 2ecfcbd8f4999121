/* heFFTe's interface in C. Functions that return nothing print what is wrong and call MPI_Abort. */
#ifndef SHARDFFT_HEFFTE_C_H
#define SHARDFFT_HEFFTE_C_H

#include <mpi.h>

#include "heffte_c_defines.h"

#ifdef __cplusplus
extern "C" {
#endif

int heffte_set_default_options(int backend, heffte_plan_options* options);

/* Collective. Corners are inclusive; an order names the fastest axis first, NULL is 0 1 2. Returns Heffte_SUCCESS; 1
   for a backend that there is not, 2 for boxes that do not fill a world, with a line that says why. */
int heffte_plan_create(int backend, const int inbox_low[3], const int inbox_high[3], const int* inbox_order,
                       const int outbox_low[3], const int outbox_high[3], const int* outbox_order, MPI_Comm comm,
                       const heffte_plan_options* options, heffte_plan* plan);
int heffte_plan_create_r2c(int backend, const int inbox_low[3], const int inbox_high[3], const int* inbox_order,
                           const int outbox_low[3], const int outbox_high[3], const int* outbox_order,
                           int r2c_direction, MPI_Comm comm, const heffte_plan_options* options, heffte_plan* plan);
int heffte_plan_destroy(heffte_plan plan);

int heffte_size_inbox(const heffte_plan plan);
int heffte_size_outbox(const heffte_plan plan);
int heffte_size_workspace(const heffte_plan plan);
int heffte_get_backend(const heffte_plan plan);
int heffte_is_r2c(const heffte_plan plan);

/* Collective. s, d: float, double; c, z: pairs of them, real part first. */
void heffte_forward_s2c(const heffte_plan plan, const float* input, void* output, int scale);
void heffte_forward_c2c(const heffte_plan plan, const void* input, void* output, int scale);
void heffte_forward_d2z(const heffte_plan plan, const double* input, void* output, int scale);
void heffte_forward_z2z(const heffte_plan plan, const void* input, void* output, int scale);
void heffte_backward_c2s(const heffte_plan plan, const void* input, float* output, int scale);
void heffte_backward_c2c(const heffte_plan plan, const void* input, void* output, int scale);
void heffte_backward_z2d(const heffte_plan plan, const void* input, double* output, int scale);
void heffte_backward_z2z(const heffte_plan plan, const void* input, void* output, int scale);

/* The same; the workspace is left alone. */
void heffte_forward_s2c_buffered(const heffte_plan plan, const float* input, void* output, void* workspace, int scale);
void heffte_forward_c2c_buffered(const heffte_plan plan, const void* input, void* output, void* workspace, int scale);
void heffte_forward_d2z_buffered(const heffte_plan plan, const double* input, void* output, void* workspace, int scale);
void heffte_forward_z2z_buffered(const heffte_plan plan, const void* input, void* output, void* workspace, int scale);
void heffte_backward_c2s_buffered(const heffte_plan plan, const void* input, float* output, void* workspace, int scale);
void heffte_backward_c2c_buffered(const heffte_plan plan, const void* input, void* output, void* workspace, int scale);
void heffte_backward_z2d_buffered(const heffte_plan plan, const void* input, double* output, void* workspace,
                                  int scale);
void heffte_backward_z2z_buffered(const heffte_plan plan, const void* input, void* output, void* workspace, int scale);

#ifdef __cplusplus
}
#endif

#endif
