// What the same source needs to be compiled for a GPU and for the host.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define SHARDFFT_HD __host__ __device__
#define SHARDFFT_UNROLL _Pragma("unroll")
#define SHARDFFT_NO_UNROLL _Pragma("unroll 1")  // where registers are dearer than jumps
#elif defined(__SYCL_DEVICE_ONLY__)             // SYCL compiles every function for both
#define SHARDFFT_HD
#define SHARDFFT_UNROLL _Pragma("unroll")
#define SHARDFFT_NO_UNROLL _Pragma("unroll 1")
#else
#define SHARDFFT_HD
#define SHARDFFT_UNROLL
#define SHARDFFT_NO_UNROLL
#endif

// 1 in code that runs on a GPU, or another device of SYCL.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define SHARDFFT_ON_DEVICE 1
#else
#define SHARDFFT_ON_DEVICE 0
#endif
