// VkFFT on one GPU with its CUDA backend: kernels that it writes and compiles for the plan, in place, reals padded to 2
// (n/2 + 1) a row.
#define VKFFT_BACKEND 1
#include <vkFFT.h>

#include <cstring>
#include <optional>

#include "peer_one_gpu.hpp"
#include "peers/common/dense.hpp"

namespace shardfft::peers {
namespace {

void require(VkFFTResult result, const char* call) {
  if (result == VKFFT_SUCCESS) return;
  const std::string text = fmt::format("{}: result {} of vkFFT.h", call, static_cast<int>(result));
  if (result >= VKFFT_ERROR_UNSUPPORTED_RADIX && result < VKFFT_ERROR_FAILED_TO_ALLOCATE) throw Unsupported(text);
  throw std::runtime_error(text);
}

void require(CUresult status, const char* call) {
  if (status != CUDA_SUCCESS)
    throw std::runtime_error(fmt::format("{}: status {} of cuda.h", call, static_cast<int>(status)));
}

/// GPU 0, current in this thread.
CUdevice first_gpu() {
  CUdevice device = 0;
  shardfft::peers::require(cudaSetDevice(0), "cudaSetDevice");
  shardfft::peers::require(cudaFree(nullptr), "cudaFree");  // makes the context
  require(cuInit(0), "cuInit");
  require(cuDeviceGet(&device, 0), "cuDeviceGet");
  return device;
}

class InPlace final : public Transform {
 public:
  explicit InPlace(const Task& task)
      : task_(task),
        device_(first_gpu()),
        bytes_(static_cast<std::uint64_t>(product(task.spectrum_array()) * task.spectrum_element())) {
    VkFFTConfiguration wish{};
    wish.FFTdim = static_cast<std::uint64_t>(task.shape.dims());
    for (int a = 0; a < task.shape.dims(); ++a)
      wish.size[task.shape.dims() - 1 - a] = static_cast<std::uint64_t>(task.shape[a]);
    wish.numberBatches = static_cast<std::uint64_t>(task.batch);
    wish.performR2C = task.kind == r2c ? 1 : 0;
    wish.doublePrecision = task.precision == f64 ? 1 : 0;
    wish.device = &device_;
    wish.bufferSize = &bytes_;
    require(initializeVkFFT(&plan_, wish), "initializeVkFFT");
  }
  ~InPlace() override { deleteVkFFT(&plan_); }

  void allocate() override { data_.emplace(static_cast<Index>(bytes_)); }
  std::vector<LocalPart> input() override {
    Shape extents = task_.input_array();
    if (task_.kind == r2c) extents[extents.dims() - 1] = 2 * task_.spectrum()[task_.shape.dims() - 1];
    return {dense(whole(task_.input_array()), extents, data_->host(), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(whole(task_.spectrum_array()), data_->host(), task_.spectrum_element())};
  }
  void to_device() override { data_->to_device(); }
  void to_host() override { data_->to_host(); }
  void forward() override { run(-1, "VkFFTAppend forward"); }
  void backward() override { run(1, "VkFFTAppend backward"); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override { return {"one GPU, CUDA backend, in place", in_one_process, in_one_process}; }

 private:
  void run(int sign, const char* call) {
    void* memory = data_->device();
    VkFFTLaunchParams launch{};
    launch.buffer = &memory;
    require(VkFFTAppend(&plan_, sign, &launch), call);
    synchronize_gpu();
  }

  Task task_;
  CUdevice device_;
  std::uint64_t bytes_;
  VkFFTApplication plan_{};
  std::optional<Mirrored> data_;
};

}  // namespace

std::unique_ptr<Library> this_library() {
  return std::make_unique<OneGpuLibrary<InPlace>>("vkfft", [] { return std::string(SHARDFFT_VKFFT_VERSION); });
}

}  // namespace shardfft::peers
