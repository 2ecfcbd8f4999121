// Do two passes over the device's memory beat three? The two fast axes in batches of few planes, which stay in the L2
// cache between their passes, plus one strided transform of the slow axis, beside cuFFT's own plan of all three. Call
// by call and as a graph, in one stream and in two. All in place, forward, unscaled; the least and the median of
// several runs, and the difference of both results.
//   two_pass_experiment [EXTENT [RUNS]]
//   two_pass_experiment warm     only keeps the GPU busy for half a second
#include <cufft.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
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

cudaEvent_t new_event() {
  cudaEvent_t event;
  cuda(cudaEventCreate(&event), "cudaEventCreate");
  return event;
}

/// The streams of all work, and events that order them. The first one has what is timed.
struct Streams {
  cudaStream_t of[2];
  cudaEvent_t forked = new_event(), joined = new_event(), begin = new_event(), end = new_event();
  Streams() {
    for (cudaStream_t& stream : of) cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  void wait(int waits, int for_stream, cudaEvent_t event) const {
    cuda(cudaEventRecord(event, of[for_stream]), "cudaEventRecord");
    cuda(cudaStreamWaitEvent(of[waits], event, 0), "cudaStreamWaitEvent");
  }
};

/// Calls that were captured.
template <class Work>
cudaGraphExec_t graph_of(cudaStream_t stream, Work&& work) {
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  work();
  cuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  cuda(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
  cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return ready;
}

/// Milliseconds: least and median. Each run begins with new numbers, written by `fresh`, untimed: those of unscaled
/// transforms grow, and zeros may be faster than numbers.
template <class Fresh, class Work>
void time(const Streams& streams, const std::string& name, int runs, double bytes, Fresh&& fresh, Work&& work) {
  std::vector<float> ms(static_cast<std::size_t>(runs));
  for (int i = -2; i < runs; ++i) {
    fresh();
    cuda(cudaEventRecord(streams.begin, streams.of[0]), "cudaEventRecord");
    work();
    cuda(cudaEventRecord(streams.end, streams.of[0]), "cudaEventRecord");
    cuda(cudaEventSynchronize(streams.end), "cudaEventSynchronize");
    if (i < 0) continue;
    cuda(cudaEventElapsedTime(&ms[static_cast<std::size_t>(i)], streams.begin, streams.end), "cudaEventElapsedTime");
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%-44s least %8.3f ms  median %8.3f ms  %7.1f GB/s of two passes\n", name.c_str(), ms[0],
              ms[ms.size() / 2], 4 * bytes / ms[ms.size() / 2] / 1e6);
  std::fflush(stdout);
}

template <class C>
class Experiment {
 public:
  Experiment(const Streams& streams, cufftType type, int n, int runs)
      : streams_(streams), type_(type), n_(n), runs_(runs), count_(1LL * n * n * n) {
    for (C** memory : {&data_, &whole_}) cuda(cudaMalloc(memory, count_ * sizeof(C)), "cudaMalloc");
    cuda(cudaMalloc(&sums_, 2 * sizeof(double)), "cudaMalloc");
    int lengths[1] = {n}, embed[1] = {n};
    fft(cufftPlan3d(&all_, n, n, n, type), "cufftPlan3d");
    fft(cufftPlanMany(&slow_, 1, lengths, embed, n * n, 1, embed, n * n, 1, type, n * n), "cufftPlanMany, slow axis");
    for (const cufftHandle plan : {all_, slow_}) fft(cufftSetStream(plan, streams.of[0]), "cufftSetStream");
  }
  ~Experiment() {
    cufftDestroy(all_), cufftDestroy(slow_);
    cudaFree(data_), cudaFree(whole_), cudaFree(sums_);
  }

  void warm(double seconds) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds) {
      fresh(data_);
      fft(run(all_, data_), "3-D");
      cuda(cudaStreamSynchronize(streams_.of[0]), "cudaStreamSynchronize");
    }
  }

  void compare_ways(const char* precision) {
    const double bytes = static_cast<double>(count_) * sizeof(C);
    std::printf("%d^3 c2c %s, %.2f GB\n", n_, precision, bytes / 1e9);
    const auto filled = [&] { fresh(data_); };
    time(streams_, "cufftPlan3d", runs_, bytes, filled, [&] { fft(run(all_, data_), "3-D"); });
    time(streams_, "slow axis alone", runs_, bytes / 2, filled, [&] { fft(run(slow_, data_), "slow axis"); });
    fresh(whole_);
    fft(run(all_, whole_), "3-D");
    for (const int planes : {1, 2, 4, 8, 16}) two_passes(planes, bytes);
  }

 private:
  void fresh(C* memory) const { fill<<<1024, 256, 0, streams_.of[0]>>>(memory, count_); }

  // Batches take turns on the streams, each of which has plans, and so work memory, of its own.
  void two_passes(int planes, double bytes) {
    cufftHandle fast[2], single[2];
    int square[2] = {n_, n_};
    for (int s = 0; s < 2; ++s) {
      fft(cufftPlanMany(&fast[s], 2, square, nullptr, 1, n_ * n_, nullptr, 1, n_ * n_, type_, planes), "planes");
      fft(cufftPlan2d(&single[s], n_, n_, type_), "cufftPlan2d");
      for (const cufftHandle plan : {fast[s], single[s]}) fft(cufftSetStream(plan, streams_.of[s]), "cufftSetStream");
    }
    for (const int used : {1, 2}) {
      const auto both = [&] {
        if (used == 2) streams_.wait(1, 0, streams_.forked);
        int plane = 0, batch = 0;
        for (; plane + planes <= n_; plane += planes, ++batch)
          fft(run(fast[batch % used], data_ + 1LL * plane * n_ * n_), "planes");
        // A batch that does not divide the extent is followed by planes one by one.
        for (; plane < n_; ++plane, ++batch) fft(run(single[batch % used], data_ + 1LL * plane * n_ * n_), "a plane");
        if (used == 2) streams_.wait(0, 1, streams_.joined);
        fft(run(slow_, data_), "slow axis");
      };
      const std::string name = "two passes, planes " + std::to_string(planes) + ", streams " + std::to_string(used);
      const auto filled = [&] { fresh(data_); };
      time(streams_, name, runs_, bytes, filled, both);
      const cudaGraphExec_t graph = graph_of(streams_.of[0], both);
      time(streams_, name + ", a graph", runs_, bytes, filled,
           [&] { cuda(cudaGraphLaunch(graph, streams_.of[0]), "cudaGraphLaunch"); });
      expect_the_same(planes);  // of the graph's last run
      cuda(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
    }
    for (int s = 0; s < 2; ++s)
      for (const cufftHandle plan : {fast[s], single[s]}) fft(cufftDestroy(plan), "cufftDestroy");
  }

  void expect_the_same(int planes) const {
    double host[2] = {};
    cuda(cudaMemsetAsync(sums_, 0, sizeof host, streams_.of[0]), "cudaMemset");
    compare<<<1024, 256, 0, streams_.of[0]>>>(data_, whole_, count_, sums_);
    cuda(cudaStreamSynchronize(streams_.of[0]), "cudaStreamSynchronize");
    cuda(cudaMemcpy(host, sums_, sizeof host, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const double limit = sizeof(C) == 16 ? 1e-28 : 1e-11;  // of the squares
    require(host[1] > 0 && host[0] <= limit * host[1], "the comparison of both results", planes);
  }

  const Streams& streams_;
  cufftType type_;
  int n_, runs_;
  long long count_;
  C *data_ = nullptr, *whole_ = nullptr;
  double* sums_ = nullptr;
  cufftHandle all_, slow_;
};

}  // namespace

int main(int count, char** words) {
  const bool only_warms = count > 1 && std::strcmp(words[1], "warm") == 0;
  const int n = only_warms ? 256 : count > 1 ? std::atoi(words[1]) : 512, runs = count > 2 ? std::atoi(words[2]) : 15;
  require(n >= 1 && n <= 1290 && runs >= 1, "EXTENT from 1 to 1290, RUNS from 1 up", n);  // n^2 planes are an int
  const Streams streams;
  {
    Experiment<cufftComplex> f32(streams, CUFFT_C2C, n, runs);
    f32.warm(0.5);
    if (only_warms) return 0;
    f32.compare_ways("f32");
  }
  Experiment<cufftDoubleComplex>(streams, CUFFT_Z2Z, n, runs).compare_ways("f64");
}
