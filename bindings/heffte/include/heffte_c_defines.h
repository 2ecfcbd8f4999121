/* Numbers and handles of heFFTe's interface in C. */
#ifndef SHARDFFT_HEFFTE_C_DEFINES_H
#define SHARDFFT_HEFFTE_C_DEFINES_H

#include "heffte_config.h"

/* All three are the same engine. */
#define Heffte_BACKEND_STOCK 0
#define Heffte_BACKEND_FFTW 1
#define Heffte_BACKEND_MKL 2

#define Heffte_SUCCESS 0

#define Heffte_RESHAPE_ALGORITHM_ALLTOALLV 0
#define Heffte_RESHAPE_ALGORITHM_P2P_PLINED 1
#define Heffte_RESHAPE_ALGORITHM_P2P 2

#define Heffte_SCALE_NONE 0
#define Heffte_SCALE_FULL 1
#define Heffte_SCALE_SYMMETRIC 2

/* Heard, and left to the planner. */
typedef struct {
  int use_reorder, algorithm, use_pencils, use_gpu_aware;
} heffte_plan_options;

typedef struct {
  int backend_type;
  int using_r2c;
  void* fft;
} heffte_fft_plan;
typedef heffte_fft_plan* heffte_plan;

#endif
