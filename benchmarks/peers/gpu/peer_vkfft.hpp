// VkFFT on one device: kernels that it writes and compiles for the plan, in place, reals padded to 2 (n/2 + 1) a row.
// The file that includes this one chooses VKFFT_BACKEND and has a Gpu for it.
#pragma once

#include <vkFFT.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "peer_one_gpu.hpp"

namespace shardfft::peers {

inline void require(VkFFTResult result, const char* call) {
  if (result == VKFFT_SUCCESS) return;
  const std::string text = fmt::format("{}: result {} of vkFFT.h", call, static_cast<int>(result));
  if (result >= VKFFT_ERROR_UNSUPPORTED_RADIX && result < VKFFT_ERROR_FAILED_TO_ALLOCATE) throw Unsupported(text);
  throw std::runtime_error(text);
}

inline std::string vkfft_version() {
  const int number = VkFFTGetVersion();
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

/// Gpu: a device with one array on it, made of a Task.
///   name_in(configuration)  says which device
///   allocate(bytes)         the array and its mirror, which host() shows; to_device(), to_host()
///   launch(parameters)      says where the array is, and in which order
///   wait()                  until all is done
///   words()                 what it is
template <class Gpu>
class VkFftInPlace final : public Transform {
 public:
  explicit VkFftInPlace(const Task& task)
      : task_(task),
        gpu_(task),
        bytes_(static_cast<std::uint64_t>(product(task.spectrum_array()) * task.spectrum_element())) {
    VkFFTConfiguration wish{};
    wish.FFTdim = static_cast<std::uint64_t>(task.shape.dims());
    for (int a = 0; a < task.shape.dims(); ++a)
      wish.size[task.shape.dims() - 1 - a] = static_cast<std::uint64_t>(task.shape[a]);
    wish.numberBatches = static_cast<std::uint64_t>(task.batch);
    wish.performR2C = task.kind == r2c ? 1 : 0;
    wish.doublePrecision = task.precision == f64 ? 1 : 0;
    wish.bufferSize = &bytes_;
    gpu_.name_in(wish);
    require(initializeVkFFT(&plan_, wish), "initializeVkFFT");
  }
  ~VkFftInPlace() override { deleteVkFFT(&plan_); }

  void allocate() override { gpu_.allocate(static_cast<Index>(bytes_)); }
  std::vector<LocalPart> input() override {
    Shape extents = task_.input_array();
    if (task_.kind == r2c) extents[extents.dims() - 1] = 2 * task_.spectrum()[task_.shape.dims() - 1];
    return {dense(whole(task_.input_array()), extents, gpu_.host(), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(whole(task_.spectrum_array()), gpu_.host(), task_.spectrum_element())};
  }
  void to_device() override { gpu_.to_device(); }
  void to_host() override { gpu_.to_host(); }
  void forward() override { run(-1, "VkFFTAppend forward"); }
  void backward() override { run(1, "VkFFTAppend backward"); }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override { return {gpu_.words() + ", in place", in_one_process, in_one_process}; }

 private:
  void run(int sign, const char* call) {
    VkFFTLaunchParams parameters{};
    gpu_.launch(parameters);
    require(VkFFTAppend(&plan_, sign, &parameters), call);
    gpu_.wait();
  }

  Task task_;
  Gpu gpu_;
  std::uint64_t bytes_;
  VkFFTApplication plan_{};
};

}  // namespace shardfft::peers
