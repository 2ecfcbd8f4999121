#include "device/gpu/kernels/kernels.hpp"

#include "device/gpu/kernels/launch.cuh"
#include "device/kernels/half_spectra.hpp"
#include "device/kernels/move.hpp"

namespace shardfft::SHARDFFT_GPU {

gpuError_t launch_moves(const MoveSpec& spec, const MoveTableView& table, const MoveBases& bases, double factor,
                        int device, gpuStream_t stream) {
  gpuError_t result = gpuSuccess;
  with_move_kernel(spec, table, bases, factor, [&](const auto& kernel) { result = launch(kernel, device, stream); });
  return result;
}

gpuError_t launch_half_spectra(const FftSpec& spec, std::byte* spectra, int device, gpuStream_t stream) {
  gpuError_t result = gpuSuccess;
  with_half_spectra(spec, spectra, [&](const auto& kernel) { result = launch(kernel, device, stream); });
  return result;
}

}  // namespace shardfft::SHARDFFT_GPU
