// Runs block functors (device/kernels/launch.hpp) as kernels. Included by the few files that the vendor's compiler
// compiles.
#pragma once

#include "device/gpu/names.hpp"
#if SHARDFFT_GPU_IS_HIP
#include <hip/hip_runtime.h>  // what nvcc knows by itself
#define SHARDFFT_GRID_CONSTANT
#else
#define SHARDFFT_GRID_CONSTANT \
  __grid_constant__  // arguments indexed at run time are read where they are, not from a copy on each thread's stack
#endif
// A block's shared memory, as many bytes as the launch says. What stands for CUDA has its own.
#ifndef SHARDFFT_DYNAMIC_SHARED
#define SHARDFFT_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif
#include "device/kernels/launch.hpp"

namespace shardfft::SHARDFFT_GPU {

/// The grid may have fewer blocks than the work: each goes on with a stride of the grid.
template <BlockFunctor K>
__global__ void __launch_bounds__(K::threads) run_blocks(const K SHARDFFT_GRID_CONSTANT kernel) {
  __shared__ typename K::Shared shared;
  const Index blocks = kernel.blocks();
  for (Index block = blockIdx.x; block < blocks; block += gridDim.x) {
#pragma unroll
    for (int phase = 0; phase < K::phases; ++phase) {
      kernel(phase, block, static_cast<int>(threadIdx.x), shared);
      if constexpr (K::phases > 1)
        __syncthreads();  // before the next phase, or before the next block writes what this one still reads
    }
  }
}

/// On the current device. As many blocks as fill it several times over at most, so that the table of boxes is searched
/// by few; what the launch said is returned, what the kernel does comes later.
template <BlockFunctor K>
gpuError_t launch(const K& kernel, int device, gpuStream_t stream) {
  static_assert(sizeof(typename K::Shared) <= 48 * 1024, "static shared memory of a block");
  static_assert(sizeof(K) <= 4096, "a kernel's arguments");
  constexpr int blocks_per_multiprocessor = 32;
  const Index blocks = kernel.blocks();
  if (blocks == 0) return gpuSuccess;
  int multiprocessors = 1;
  const gpuError_t asked = gpuDeviceGetAttribute(&multiprocessors, gpuDevAttrMultiProcessorCount, device);
  if (asked != gpuSuccess) return asked;
  const Index most = Index{multiprocessors} * blocks_per_multiprocessor;
  // Not with <<<>>>, whose result is the thread's last error: that may be an older one, of the caller's own ("not
  // ready", of an event that it asked for).
  void* arguments[] = {const_cast<K*>(&kernel)};
  return gpuLaunchKernel(reinterpret_cast<const void*>(&run_blocks<K>),
                         dim3(static_cast<unsigned>(blocks < most ? blocks : most)), dim3(K::threads), arguments, 0,
                         stream);
}

}  // namespace shardfft::SHARDFFT_GPU
