// The kernels of kernels_*.cu as plain functions.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "device/kernels/fused_table.hpp"

namespace shardfft::cuda {

/// `device` is the current one. What the launch said.
using FusedLaunch = cudaError_t (*)(const FusedSpec& spec, const FusedTableView& table, const MoveBases& bases,
                                    int device, cudaStream_t stream);

/// For pencils of n complex numbers, or of twice as many reals; nullptr where there is no kernel.
[[nodiscard]] FusedLaunch find_fused_f32(Index n);
[[nodiscard]] FusedLaunch find_fused_f64(Index n);

}  // namespace shardfft::cuda
