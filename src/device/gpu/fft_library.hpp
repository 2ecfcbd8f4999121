// The calls of the vendor's library of transforms, which is loaded when a device is used.
#pragma once

#include <string>

#include "device/gpu/fft_names.hpp"

// One line for each call; X is given its name without the vendor's letters.
#define SHARDFFT_GPUFFT_CALLS(X) \
  X(Create)                      \
  X(Destroy)                     \
  X(ExecC2C)                     \
  X(ExecC2R)                     \
  X(ExecD2Z)                     \
  X(ExecR2C)                     \
  X(ExecZ2D)                     \
  X(ExecZ2Z)                     \
  X(GetVersion)                  \
  X(MakePlanMany64)              \
  X(SetAutoAllocation)           \
  X(SetStream)                   \
  X(SetWorkArea)

namespace shardfft::SHARDFFT_GPU {

struct FftCalls {
#define SHARDFFT_DECLARE(name) decltype(&SHARDFFT_GPUFFT_NAME(name)) name = nullptr;
  SHARDFFT_GPUFFT_CALLS(SHARDFFT_DECLARE)
#undef SHARDFFT_DECLARE
};

/// Throws Error(unsupported) where the library cannot be loaded.
[[nodiscard]] const FftCalls& fft_calls();

}  // namespace shardfft::SHARDFFT_GPU
