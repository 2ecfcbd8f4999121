// Do two passes over the device's memory beat three? The two fast axes in batches of few planes, which stay in the L2
// cache between their passes, plus one strided transform of the slow axis, beside cuFFT's own plan of all three. All in
// place, forward, unscaled; the least and the median of several runs, and the difference of both results.
//   two_pass_experiment [EXTENT [RUNS]]
#include <cufft.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void require(bool good, const char* what, int code) {
  if (good) return;
  std::fprintf(stderr, "two_pass_experiment: %s failed with code %d\n", what, code);
  std::exit(1);
}
void cuda(cudaError_t e, const char* what) { require(e == cudaSuccess, what, e); }
void fft(cufftResult r, const char* what) { require(r == CUFFT_SUCCESS, what, r); }

// Numbers that no transform of fewer axes gives back.
template <class C>
__global__ void fill(C* data, long long count) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    data[i].x = static_cast<float>((i * 2654435761LL >> 7) % 1000 - 500) / 500;
    data[i].y = static_cast<float>((i * 40503LL >> 5) % 1000 - 500) / 500;
  }
}

// Adds up |a - b|^2 and |b|^2.
template <class C>
__global__ void compare(const C* a, const C* b, long long count, double* sums) {
  double difference = 0, norm = 0;
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    const double x = a[i].x - b[i].x, y = a[i].y - b[i].y;
    difference += x * x + y * y;
    norm += 1.0 * b[i].x * b[i].x + 1.0 * b[i].y * b[i].y;
  }
  atomicAdd(sums, difference);
  atomicAdd(sums + 1, norm);
}

cufftResult run(cufftHandle plan, cufftDoubleComplex* x) { return cufftExecZ2Z(plan, x, x, CUFFT_FORWARD); }
cufftResult run(cufftHandle plan, cufftComplex* x) { return cufftExecC2C(plan, x, x, CUFFT_FORWARD); }

// Milliseconds: least and median. Each run begins with new numbers, written by `fresh`, untimed: those of unscaled
// transforms grow, and zeros may be faster than numbers.
template <class Fresh, class Work>
void time(const char* name, int planes, int runs, double bytes, Fresh&& fresh, Work&& work) {
  cudaEvent_t begin, end;
  cuda(cudaEventCreate(&begin), "cudaEventCreate");
  cuda(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> ms(static_cast<std::size_t>(runs));
  for (int i = -2; i < runs; ++i) {
    fresh();
    cuda(cudaEventRecord(begin), "cudaEventRecord");
    work();
    cuda(cudaEventRecord(end), "cudaEventRecord");
    cuda(cudaEventSynchronize(end), "cudaEventSynchronize");
    if (i >= 0) cuda(cudaEventElapsedTime(&ms[static_cast<std::size_t>(i)], begin, end), "cudaEventElapsedTime");
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%-16s planes %2d  least %8.3f ms  median %8.3f ms  %7.1f GB/s of two passes\n", name, planes, ms[0],
              ms[ms.size() / 2], 4 * bytes / ms[ms.size() / 2] / 1e6);
}

template <class C>
void experiment(const char* precision, cufftType type, int n, int runs) {
  const long long count = 1LL * n * n * n;
  const double bytes = static_cast<double>(count) * sizeof(C);
  C *data = nullptr, *whole = nullptr;
  double *sums = nullptr, host[2] = {};
  cuda(cudaMalloc(&data, count * sizeof(C)), "cudaMalloc");
  cuda(cudaMalloc(&whole, count * sizeof(C)), "cudaMalloc");
  cuda(cudaMalloc(&sums, sizeof host), "cudaMalloc");
  std::printf("%d^3 c2c %s, %.2f GB\n", n, precision, bytes / 1e9);

  cufftHandle all, slow;
  fft(cufftPlan3d(&all, n, n, n, type), "cufftPlan3d");
  int lengths[1] = {n}, embed[1] = {n};
  fft(cufftPlanMany(&slow, 1, lengths, embed, n * n, 1, embed, n * n, 1, type, n * n), "cufftPlanMany, slow axis");
  const auto fresh = [&] { fill<<<1024, 256>>>(data, count); };
  time("cufftPlan3d", n, runs, bytes, fresh, [&] { fft(run(all, data), "3-D"); });
  time("slow axis alone", n, runs, bytes / 2, fresh, [&] { fft(run(slow, data), "slow axis"); });
  fill<<<1024, 256>>>(whole, count);
  fft(run(all, whole), "3-D");
  for (const int planes : {1, 2, 3, 4, 8, 16}) {
    // A batch that does not divide the extent is followed by planes one by one.
    cufftHandle fast, single;
    int square[2] = {n, n};
    fft(cufftPlanMany(&fast, 2, square, nullptr, 1, n * n, nullptr, 1, n * n, type, planes), "cufftPlanMany, planes");
    fft(cufftPlan2d(&single, n, n, type), "cufftPlan2d");
    const auto both = [&] {
      int plane = 0;
      for (; plane + planes <= n; plane += planes) fft(run(fast, data + 1LL * plane * n * n), "planes");
      for (; plane < n; ++plane) fft(run(single, data + 1LL * plane * n * n), "a plane");
      fft(run(slow, data), "slow axis");
    };
    time("two passes", planes, runs, bytes, fresh, both);
    fresh();
    both();
    cuda(cudaMemset(sums, 0, sizeof host), "cudaMemset");
    compare<<<1024, 256>>>(data, whole, count, sums);
    cuda(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const double limit = sizeof(C) == 16 ? 1e-28 : 1e-11;  // of the squares
    require(host[1] > 0 && host[0] <= limit * host[1], "the comparison of both results", planes);
    fft(cufftDestroy(fast), "cufftDestroy");
    fft(cufftDestroy(single), "cufftDestroy");
  }
  fft(cufftDestroy(all), "cufftDestroy");
  fft(cufftDestroy(slow), "cufftDestroy");
  for (void* memory : {static_cast<void*>(data), static_cast<void*>(whole), static_cast<void*>(sums)})
    cuda(cudaFree(memory), "cudaFree");
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 512, runs = count > 2 ? std::atoi(words[2]) : 15;
  require(n >= 1 && n <= 1290 && runs >= 1, "EXTENT from 1 to 1290, RUNS from 1 up", n);  // n^2 planes are an int
  experiment<cufftComplex>("f32", CUFFT_C2C, n, runs);
  experiment<cufftDoubleComplex>("f64", CUFFT_Z2Z, n, runs);
}
