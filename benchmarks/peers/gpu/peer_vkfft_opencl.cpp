// VkFFT with its OpenCL backend on the first GPU that OpenCL lists, else on the processor (pocl).
#define VKFFT_BACKEND 3
#define CL_TARGET_OPENCL_VERSION 120
#include "peer_vkfft.hpp"

#include <algorithm>
#include <optional>

#include "shardfft/view.hpp"

namespace shardfft::peers {
namespace {

void require(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw std::runtime_error(fmt::format("{}: status {} of cl.h", call, status));
}

struct Found {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
};

/// Nothing where there is no device of that type.
std::optional<Found> first_of(cl_device_type type) {
  constexpr cl_uint most = 16;
  cl_platform_id platforms[most];
  cl_uint count = 0;
  if (clGetPlatformIDs(most, platforms, &count) != CL_SUCCESS) return std::nullopt;  // none is an error, too
  for (cl_uint i = 0; i < std::min(count, most); ++i) {
    Found found{platforms[i]};
    if (clGetDeviceIDs(found.platform, type, 1, &found.device, nullptr) == CL_SUCCESS) return found;
  }
  return std::nullopt;
}

std::optional<Found> first_device() {
  const auto gpu = first_of(CL_DEVICE_TYPE_GPU);
  return gpu ? gpu : first_of(CL_DEVICE_TYPE_CPU);
}

std::string why_no_device() {
  if (first_device()) return {};
  return "no device of OpenCL: its loader lists none; install a vendor's driver, or pocl for the processor";
}

/// A GPU, or as many cores of a processor as threads were asked for.
class OpenClDevice {
 public:
  explicit OpenClDevice(const Task& task) : found_(first_device().value()) {
    take_cores(static_cast<cl_uint>(task.threads));
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &found_.device, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, found_.device, 0, &status);
    require(status, "clCreateCommandQueue");
  }
  OpenClDevice(const OpenClDevice&) = delete;
  OpenClDevice& operator=(const OpenClDevice&) = delete;
  ~OpenClDevice() {
    if (memory_) clReleaseMemObject(memory_);
    if (queue_) clReleaseCommandQueue(queue_);
    if (context_) clReleaseContext(context_);
    clReleaseDevice(found_.device);  // of no effect but on a part
  }

  void name_in(VkFFTConfiguration& wish) {
    wish.platform = &found_.platform;
    wish.device = &found_.device;
    wish.context = &context_;
  }
  void allocate(Index bytes) {
    host_.emplace(static_cast<std::size_t>(bytes));
    cl_int status = CL_SUCCESS;
    memory_ = clCreateBuffer(context_, CL_MEM_READ_WRITE, host_->bytes(), nullptr, &status);
    require(status, "clCreateBuffer");
  }
  std::byte* host() { return host_->data(); }
  void to_device() {
    require(clEnqueueWriteBuffer(queue_, memory_, CL_TRUE, 0, host_->bytes(), host(), 0, nullptr, nullptr),
            "clEnqueueWriteBuffer");
  }
  void to_host() {
    require(clEnqueueReadBuffer(queue_, memory_, CL_TRUE, 0, host_->bytes(), host(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
  }
  void launch(VkFFTLaunchParams& parameters) {
    parameters.buffer = &memory_;
    parameters.commandQueue = &queue_;
  }
  void wait() { require(clFinish(queue_), "clFinish"); }
  [[nodiscard]] std::string words() const {
    char name[256] = "unknown";
    (void)clGetDeviceInfo(found_.device, CL_DEVICE_NAME, sizeof name, name, nullptr);
    return fmt::format("one device, OpenCL backend on {}", name);
  }

 private:
  void take_cores(cl_uint threads) {
    cl_device_type type = 0;
    cl_uint cores = 0;
    require(clGetDeviceInfo(found_.device, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
    require(clGetDeviceInfo(found_.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof cores, &cores, nullptr),
            "clGetDeviceInfo");
    if ((type & CL_DEVICE_TYPE_CPU) == 0 || cores <= threads) return;
    const cl_device_partition_property part[] = {CL_DEVICE_PARTITION_BY_COUNTS, threads,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    require(clCreateSubDevices(found_.device, part, 1, &found_.device, nullptr), "clCreateSubDevices");
  }

  Found found_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_mem memory_ = nullptr;
  std::optional<Array> host_;
};

class OpenClLibrary final : public OneGpuLibrary<VkFftInPlace<OpenClDevice>> {
 public:
  using OneGpuLibrary::OneGpuLibrary;
  About about() const override {
    About about = OneGpuLibrary::about();
    about.threads = true;
    return about;
  }
};

}  // namespace

std::unique_ptr<Library> this_library() {
  return std::make_unique<OpenClLibrary>("vkfft_opencl", vkfft_version, why_no_device);
}

}  // namespace shardfft::peers
