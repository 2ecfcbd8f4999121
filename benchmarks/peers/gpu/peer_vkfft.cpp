// VkFFT with its CUDA backend on the first GPU.
#define VKFFT_BACKEND 1
#include "peer_vkfft.hpp"

#include <optional>

#include "peer_cuda.hpp"

namespace shardfft::peers {
namespace {

void require_driver(CUresult status, const char* call) {
  if (status != CUDA_SUCCESS)
    throw std::runtime_error(fmt::format("{}: status {} of cuda.h", call, static_cast<int>(status)));
}

class CudaGpu {
 public:
  explicit CudaGpu(const Task&) {  // current in this thread
    require(cudaSetDevice(0), "cudaSetDevice");
    require(cudaFree(nullptr), "cudaFree");  // makes the context
    require_driver(cuInit(0), "cuInit");
    require_driver(cuDeviceGet(&device_, 0), "cuDeviceGet");
  }

  void name_in(VkFFTConfiguration& wish) { wish.device = &device_; }
  void allocate(Index bytes) { memory_ = data_.emplace(bytes).device(); }
  std::byte* host() { return data_->host(); }
  void to_device() { data_->to_device(); }
  void to_host() { data_->to_host(); }
  void launch(VkFFTLaunchParams& parameters) { parameters.buffer = &memory_; }
  void wait() { synchronize_gpu(); }
  [[nodiscard]] std::string words() const { return "one GPU, CUDA backend"; }

 private:
  CUdevice device_ = 0;
  std::optional<Mirrored> data_;
  void* memory_ = nullptr;
};

}  // namespace

std::unique_ptr<Library> this_library() {
  return std::make_unique<OneGpuLibrary<VkFftInPlace<CudaGpu>>>("vkfft", vkfft_version,
                                                                [] { return why_not_on_gpus(1); });
}

}  // namespace shardfft::peers
