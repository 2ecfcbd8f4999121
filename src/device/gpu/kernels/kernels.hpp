// The kernels that the vendor's compiler makes, as plain functions.
#pragma once

#include "device/fft.hpp"
#include "device/gpu/names.hpp"
#include "device/kernels/move_table.hpp"
#include "device/task.hpp"

namespace shardfft::SHARDFFT_GPU {

/// Moves the boxes of a table whose arrays lie on `device`, which is the current one; what the launch said.
[[nodiscard]] gpuError_t launch_moves(const MoveSpec& spec, const MoveTableView& table, const MoveBases& bases,
                                      double factor, int device, gpuStream_t stream);

/// Makes the input of a c2r transform half spectra of reals (kernels/half_spectra.hpp).
[[nodiscard]] gpuError_t launch_half_spectra(const FftSpec& spec, std::byte* spectra, int device, gpuStream_t stream);

/// Runs the kernels of a task, in order; what the first launch said that was not a success.
[[nodiscard]] gpuError_t launch_task(const DeviceTask& task, int device, gpuStream_t stream);

}  // namespace shardfft::SHARDFFT_GPU
