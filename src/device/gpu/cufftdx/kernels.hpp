// The kernels of kernels.cu as plain functions.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "device/kernels/fused_table.hpp"

namespace shardfft::cuda {

/// Of complex numbers.
[[nodiscard]] bool has_fused(Index n);
/// For lengths that there is a kernel for, f32 or f64; `device` is the current one. What the launch said.
[[nodiscard]] cudaError_t launch_fused(const FusedSpec& spec, const FusedTableView& table, const MoveBases& bases,
                                       int device, cudaStream_t stream);

}  // namespace shardfft::cuda
