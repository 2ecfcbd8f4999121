// Fused transforms by NVIDIA's cuFFTDx: pencils are transformed in registers and shared memory, between the gather and
// the scatter that the emulated device tests.
#define CUFFTDX_DISABLE_CUTLASS_DEPENDENCY
#include <cufftdx.hpp>

#include "device/gpu/cufftdx/kernels.hpp"
#include "device/kernels/fused_pencils.hpp"

namespace shardfft::cuda {
namespace {

using FusedLaunch = cudaError_t (*)(const FusedSpec&, const FusedTableView&, const MoveBases&, int, cudaStream_t);

// The descriptions are those for sm_80; they are compiled for every architecture of the build.
template <class T, int n, bool backward>
using Transform =
    decltype(cufftdx::Size<n>() + cufftdx::Precision<T>() + cufftdx::Type<cufftdx::fft_type::c2c>() +
             cufftdx::Direction<backward ? cufftdx::fft_direction::inverse : cufftdx::fft_direction::forward>() +
             cufftdx::FFTsPerBlock<fused_at_once<T>>() + cufftdx::SM<800>() + cufftdx::Block());

constexpr int threads_of(dim3 block) { return static_cast<int>(block.x * block.y); }

template <class T, class Fft>
using Pencils = FusedPencils<T, fused_at_once<T>, threads_of(Fft::block_dim)>;

// The tile and the transform's own shared memory are one: numbers are in registers while the transform uses it.
template <class T, class Fft>
constexpr std::size_t shared_bytes() {
  constexpr std::size_t tile = sizeof(Pack<T, 2>) * fused_at_once<T> * (cufftdx::size_of<Fft>::value + 1);
  return tile > Fft::shared_memory_size ? tile : Fft::shared_memory_size;
}

template <class T, class Fft>
__global__ void __launch_bounds__(Fft::max_threads_per_block)
    run_fused(const __grid_constant__ Pencils<T, Fft> pencils) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* tile = reinterpret_cast<Pack<T, 2>*>(shared);
  using Value = typename Fft::value_type;
  constexpr unsigned n = cufftdx::size_of<Fft>::value;
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  auto* row = tile + threadIdx.y * (n + 1);
  const Index blocks = pencils.blocks();
  for (Index block = blockIdx.x; block < blocks; block += gridDim.x) {
    pencils.gather(block, thread, tile);
    __syncthreads();
    pencils.before(thread, tile);
    __syncthreads();
    Value numbers[Fft::storage_size];
#pragma unroll
    for (unsigned i = 0; i < Fft::elements_per_thread; ++i) {
      const unsigned k = threadIdx.x + i * Fft::stride;
      if (k < n) numbers[i] = Value{row[k].of[0], row[k].of[1]};
    }
    __syncthreads();
    Fft().execute(numbers, shared);
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < Fft::elements_per_thread; ++i) {
      const unsigned k = threadIdx.x + i * Fft::stride;
      if (k < n) row[k] = {{numbers[i].x, numbers[i].y}};
    }
    __syncthreads();
    pencils.after(thread, tile);
    __syncthreads();
    pencils.scatter(block, thread, tile);
    __syncthreads();
  }
}

template <class T, int n, bool backward>
cudaError_t launch_as(const FusedSpec& spec, const FusedTableView& table, const MoveBases& bases, int device,
                      cudaStream_t stream) {
  using Fft = Transform<T, n, backward>;
  const Pencils<T, Fft> pencils{spec, table, bases};
  if (pencils.blocks() == 0) return cudaSuccess;
  constexpr std::size_t bytes = shared_bytes<T, Fft>();
  // More than 48 KB is given only where it was asked for; a cheap call, made again for every device.
  const cudaError_t allowed =
      cudaFuncSetAttribute(run_fused<T, Fft>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (allowed != cudaSuccess) return allowed;
  int multiprocessors = 1;
  const cudaError_t asked = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (asked != cudaSuccess) return asked;
  const Index most = Index{multiprocessors} * 32, blocks = pencils.blocks();
  void* arguments[] = {const_cast<Pencils<T, Fft>*>(&pencils)};  // as in launch.cuh
  return cudaLaunchKernel(reinterpret_cast<const void*>(&run_fused<T, Fft>),
                          dim3(static_cast<unsigned>(blocks < most ? blocks : most)), Fft::block_dim, arguments, bytes,
                          stream);
}

// One line per length of complex numbers: backward or not, f32 and f64. Reals of twice that length take the same.
struct Entry {
  Index n;
  FusedLaunch launch[2][2];
};
template <int n>
constexpr Entry entry = {n,
                         {{launch_as<float, n, false>, launch_as<float, n, true>},
                          {launch_as<double, n, false>, launch_as<double, n, true>}}};

constexpr Entry entries[] = {entry<64>, entry<128>, entry<256>, entry<512>, entry<1024>, entry<2048>};

const Entry* find(Index n) {
  for (const Entry& e : entries)
    if (e.n == n) return &e;
  return nullptr;
}

}  // namespace

bool has_fused(Index n) { return find(n) != nullptr; }

cudaError_t launch_fused(const FusedSpec& spec, const FusedTableView& table, const MoveBases& bases, int device,
                         cudaStream_t stream) {
  return find(spec.complex_n())
      ->launch[spec.scalar == Scalar::f64][spec.backward()](spec, table, bases, device, stream);
}

}  // namespace shardfft::cuda
