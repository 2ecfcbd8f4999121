// The table of names of the two libraries of transforms; see names.hpp. Neither is linked: fft_library.hpp loads it.
#pragma once

#include "device/gpu/names.hpp"

#define SHARDFFT_GPUFFT_TEXT_OF(word) #word
#define SHARDFFT_GPUFFT_TEXT(word) SHARDFFT_GPUFFT_TEXT_OF(word)

#if SHARDFFT_GPU_IS_HIP
#if __has_include(<hipfft/hipfft.h>)
#include <hipfft/hipfft.h>
#else
#include <hipfft.h>
#endif
#define SHARDFFT_GPUFFT_NAME(name) hipfft##name
#define SHARDFFT_GPUFFT_CONSTANT(name) HIPFFT_##name
#define SHARDFFT_GPUFFT_VERSION_OF(number) ((number) / 10000), ((number) / 100 % 100)  // 10020: 1.0, of rocFFT
#define SHARDFFT_GPUFFT_FILE "libhipfft.so.0"
#define gpufftComplex32 hipfftComplex
#define gpufftComplex64 hipfftDoubleComplex
#else
#include <cufft.h>
#define SHARDFFT_GPUFFT_NAME(name) cufft##name
#define SHARDFFT_GPUFFT_CONSTANT(name) CUFFT_##name
#define SHARDFFT_GPUFFT_VERSION_OF(number) ((number) / 1000), ((number) / 100 % 10)  // 12000: 12.0
#define SHARDFFT_GPUFFT_FILE "libcufft.so." SHARDFFT_GPUFFT_TEXT(CUFFT_VER_MAJOR)
#define gpufftComplex32 cufftComplex
#define gpufftComplex64 cufftDoubleComplex
#endif

#define gpufftHandle SHARDFFT_GPUFFT_NAME(Handle)
#define gpufftType SHARDFFT_GPUFFT_NAME(Type)
#define gpufftResult SHARDFFT_GPUFFT_NAME(Result)

#define GPUFFT_ALLOC_FAILED SHARDFFT_GPUFFT_CONSTANT(ALLOC_FAILED)
#define GPUFFT_C2C SHARDFFT_GPUFFT_CONSTANT(C2C)
#define GPUFFT_C2R SHARDFFT_GPUFFT_CONSTANT(C2R)
#define GPUFFT_D2Z SHARDFFT_GPUFFT_CONSTANT(D2Z)
#define GPUFFT_EXEC_FAILED SHARDFFT_GPUFFT_CONSTANT(EXEC_FAILED)
#define GPUFFT_INTERNAL_ERROR SHARDFFT_GPUFFT_CONSTANT(INTERNAL_ERROR)
#define GPUFFT_INVALID_PLAN SHARDFFT_GPUFFT_CONSTANT(INVALID_PLAN)
#define GPUFFT_INVALID_SIZE SHARDFFT_GPUFFT_CONSTANT(INVALID_SIZE)
#define GPUFFT_INVALID_TYPE SHARDFFT_GPUFFT_CONSTANT(INVALID_TYPE)
#define GPUFFT_INVALID_VALUE SHARDFFT_GPUFFT_CONSTANT(INVALID_VALUE)
#define GPUFFT_NOT_SUPPORTED SHARDFFT_GPUFFT_CONSTANT(NOT_SUPPORTED)
#define GPUFFT_R2C SHARDFFT_GPUFFT_CONSTANT(R2C)
#define GPUFFT_SETUP_FAILED SHARDFFT_GPUFFT_CONSTANT(SETUP_FAILED)
#define GPUFFT_SUCCESS SHARDFFT_GPUFFT_CONSTANT(SUCCESS)
#define GPUFFT_Z2D SHARDFFT_GPUFFT_CONSTANT(Z2D)
#define GPUFFT_Z2Z SHARDFFT_GPUFFT_CONSTANT(Z2Z)

namespace shardfft::SHARDFFT_GPU {

#if SHARDFFT_GPU_IS_HIP
inline constexpr const char* fft_library = "hipFFT";
inline constexpr int fft_forward = HIPFFT_FORWARD, fft_backward = HIPFFT_BACKWARD;
#else
inline constexpr const char* fft_library = "cuFFT";
inline constexpr int fft_forward = CUFFT_FORWARD, fft_backward = CUFFT_INVERSE;
#endif

}  // namespace shardfft::SHARDFFT_GPU
