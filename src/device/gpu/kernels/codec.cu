#include "device/gpu/kernels/kernels.hpp"
#include "device/gpu/kernels/launch.cuh"
#include "device/kernels/codec/codec_passes.hpp"

namespace shardfft::SHARDFFT_GPU {

gpuError_t launch_task(const DeviceTask& task, int device, gpuStream_t stream) {
  gpuError_t result = gpuSuccess;
  kernels::passes(task, [&](const auto& kernel) {
    if (result == gpuSuccess) result = launch(kernel, device, stream);
  });
  return result;
}

}  // namespace shardfft::SHARDFFT_GPU
