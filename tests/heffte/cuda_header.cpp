// A program for cuFFT's backend, which is compiled and not run.
#define Heffte_ENABLE_CUDA
#include <heffte.h>

using backend_tag = heffte::backend::default_backend<heffte::tag::gpu>::type;
static_assert(std::is_same_v<backend_tag, heffte::backend::cufft> && heffte::backend::uses_gpu<backend_tag>::value);

std::vector<double> there_and_back(cudaStream_t stream, const heffte::box3d<>& box, const std::vector<double>& input) {
  heffte::gpu::device_set(heffte::mpi::world_rank() % heffte::gpu::device_count());
  const heffte::fft3d_r2c<backend_tag> fft(stream, box, box.r2c(0), 0, MPI_COMM_WORLD);
  const heffte::gpu::vector<double> reals = heffte::gpu::transfer::load(input);
  heffte::gpu::vector<std::complex<double>> modes = fft.forward(reals, heffte::scale::full);
  auto copy = modes;
  modes = heffte::make_buffer_container<std::complex<double>>(fft.stream(), copy.size());
  return heffte::gpu::transfer::unload(fft.backward(copy));
}
