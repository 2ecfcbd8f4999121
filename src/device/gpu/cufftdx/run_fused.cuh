// The kernel around NVIDIA's cuFFTDx: pencils are transformed in registers and shared memory, between the gather and
// the scatter that the emulated device tests. Included by a file for each scalar, which are compiled side by side.
#pragma once

#define CUFFTDX_DISABLE_CUTLASS_DEPENDENCY
// Threads exchange complex numbers, not real parts and then imaginary ones: half as many barriers in memory that the
// tile has anyway. cuFFTDx 25.6 does not document it; without it kernels are right, too.
#define CUFFTDX_DETAIL_BLOCK_FFT_ENFORCE_XY_TRANSPOSITION
#include <cufftdx.hpp>

#include <span>

#include "device/gpu/cufftdx/kernels.hpp"
#include "device/gpu/kernels/launch.cuh"
#include "device/kernels/fused_pencils.hpp"

namespace shardfft::cuda {

/// Kernels of pencils of n complex numbers, `elements` of which a thread has in registers.
template <class T, int n, int elements>
struct FusedKernel {
  static constexpr int at_once = fused_at_once(sizeof(T), n), parts = fused_parts(n), threads = n / elements * at_once;
  /// For H100; it serves others, too. Backward is forward of the conjugate, in half the time of compilation.
  using Fft =
      decltype(cufftdx::Size<n / parts>() + cufftdx::Precision<T>() + cufftdx::Type<cufftdx::fft_type::c2c>() +
               cufftdx::Direction<cufftdx::fft_direction::forward>() + cufftdx::FFTsPerBlock<at_once * parts>() +
               cufftdx::ElementsPerThread<elements>() + cufftdx::SM<900>() + cufftdx::Block());
  static_assert(Fft::block_dim.x * Fft::block_dim.y == threads && Fft::stride == n / parts / elements);
  using Shape = FusedShape<at_once, threads, elements, parts, n>;
  using Pencils = FusedPencils<T, Shape>;
  /// The tile and the transform's own shared memory are one: numbers are in registers while the transform uses it.
  static constexpr int tile_bytes = FusedTile<T, Shape>{}.elements() * static_cast<int>(2 * sizeof(T)),
                       fft_bytes = static_cast<int>(Fft::shared_memory_size),
                       shared_bytes = tile_bytes > fft_bytes ? tile_bytes : fft_bytes;
  /// On a multiprocessor. One gathers while another one transforms.
  static constexpr int blocks = threads < 256 ? 512 / threads : 2;
};

// tools/gpu/check_kernels.py reads from the name what dynamic shared memory a block has.
template <class T, int n, int elements, int shared_bytes>
__global__ void __launch_bounds__(FusedKernel<T, n, elements>::threads, FusedKernel<T, n, elements>::blocks)
    run_fused(const typename FusedKernel<T, n, elements>::Pencils SHARDFFT_GRID_CONSTANT pencils) {
  using Kernel = FusedKernel<T, n, elements>;
  SHARDFFT_DYNAMIC_SHARED(shared);
  auto* const tile = reinterpret_cast<Pack<T, 2>*>(shared);
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const Index blocks = pencils.blocks();
  for (Index block = blockIdx.x; block < blocks; block += gridDim.x) {
    Pack<T, 2> x[elements];
    if (Kernel::parts == 1 && pencils.table.from.straight) {
      pencils.load(block, thread, x);
    } else {
      pencils.gather(block, thread, tile);
      __syncthreads();
      if (pencils.real_out) {
        pencils.from_half_spectra(thread, tile);
        __syncthreads();
      }
      pencils.take(thread, tile, x);
      __syncthreads();
    }
#pragma unroll
    for (int u = 0; u < elements; ++u) pencils.enter(x[u]);
    typename Kernel::Fft().execute(x, shared);
    if constexpr (Kernel::parts == 1)
#pragma unroll
      for (int u = 0; u < elements; ++u) pencils.leave(x[u]);
    if (Kernel::parts == 1 && pencils.table.to.straight) {
      pencils.store(block, thread, x);
    } else {
      __syncthreads();
      pencils.give(thread, tile, x);
      __syncthreads();
      if constexpr (Kernel::parts > 1) {
        pencils.join_parts(thread, tile);
        __syncthreads();
      }
      if (pencils.real_in) {
        pencils.to_half_spectra(thread, tile);
        __syncthreads();
      }
      pencils.scatter(block, thread, tile);
    }
    __syncthreads();  // before the next block writes what this one still reads
  }
}

template <class T, int n, int elements>
cudaError_t launch_as(const FusedSpec& spec, const FusedTableView& table, const MoveBases& bases, int device,
                      cudaStream_t stream) {
  using Kernel = FusedKernel<T, n, elements>;
  const typename Kernel::Pencils pencils{spec, table, bases};
  const Index blocks = pencils.blocks();
  if (blocks == 0) return cudaSuccess;
  const auto kernel = reinterpret_cast<const void*>(&run_fused<T, n, elements, Kernel::shared_bytes>);
  // More than 48 KB is given only where it was asked for; a cheap call, made again for every device.
  const cudaError_t allowed =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Kernel::shared_bytes);
  if (allowed != cudaSuccess) return allowed;
  int multiprocessors = 1;
  const cudaError_t asked = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (asked != cudaSuccess) return asked;
  const Index most = Index{multiprocessors} * 32;
  void* arguments[] = {const_cast<typename Kernel::Pencils*>(&pencils)};  // as in launch.cuh
  return cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks < most ? blocks : most)), Kernel::Fft::block_dim,
                          arguments, Kernel::shared_bytes, stream);
}

/// A line of a table: pencils of n complex numbers.
struct FusedEntry {
  Index n;
  FusedLaunch launch;
};
template <class T, int n, int elements>
constexpr FusedEntry fused_entry = {n, launch_as<T, n, elements>};

[[nodiscard]] inline FusedLaunch find_entry(std::span<const FusedEntry> entries, Index n) {
  for (const FusedEntry& entry : entries)
    if (entry.n == n) return entry.launch;
  return nullptr;
}

}  // namespace shardfft::cuda
