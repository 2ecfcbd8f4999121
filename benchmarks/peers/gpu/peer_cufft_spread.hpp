// Arrays that cuFFT spreads over several GPUs, in one process (cufftXt) or one GPU in each of several (cuFFTMp). A
// transform is in place and leaves its result cut along the second axis, in "shuffled" order; natural order costs a
// copy between the GPUs, which is part of the timed call where it is asked for.
#pragma once

#include <cufftXt.h>

#include <optional>
#include <vector>

#include "peer_cufft.hpp"
#include "peers/common/dense.hpp"

namespace shardfft::peers {

/// Owns memory spread over GPUs.
class Spread {
 public:
  explicit Spread(cufftHandle plan) {
    require(cufftXtMalloc(plan, &memory_, CUFFT_XT_FORMAT_INPLACE), "cufftXtMalloc");
  }
  ~Spread() { (void)cufftXtFree(memory_); }
  Spread(const Spread&) = delete;
  Spread& operator=(const Spread&) = delete;
  [[nodiscard]] cudaLibXtDesc* memory() const { return memory_; }

 private:
  cudaLibXtDesc* memory_ = nullptr;
};

/// What of the global arrays is shown on this rank, reals in rows of 2 (n/2 + 1) as an in-place transform keeps them.
struct Shown {
  Box input{}, spectrum{};
};

class OnSeveralGpus : public Transform {
 public:
  void allocate() override {
    in_.emplace(forward_);
    if (natural_) out_.emplace(forward_);
    in_mirror_ = Array(static_cast<std::size_t>(product(input_extents()) * task_.input_element()));
    out_mirror_ = Array(static_cast<std::size_t>(shown_.spectrum.count() * task_.spectrum_element()));
  }
  std::vector<LocalPart> input() override {
    return {dense(shown_.input, input_extents(), in_mirror_.data(), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(shown_.spectrum, out_mirror_.data(), task_.spectrum_element())};
  }
  void to_device() override { copy(forward_, in_->memory(), in_mirror_.data(), CUFFT_COPY_HOST_TO_DEVICE); }
  void to_host() override {
    if (forward_was_last_)
      copy(forward_, out_mirror_.data(), result(), CUFFT_COPY_DEVICE_TO_HOST);
    else
      copy(backward_plan(), in_mirror_.data(), in_->memory(), CUFFT_COPY_DEVICE_TO_HOST);
  }
  void forward() override {
    require(cufftXtExecDescriptor(forward_, in_->memory(), in_->memory(), CUFFT_FORWARD),
            "cufftXtExecDescriptor forward");
    if (natural_) copy(forward_, out_->memory(), in_->memory(), CUFFT_COPY_DEVICE_TO_DEVICE);
    synchronize();
    forward_was_last_ = true;
  }
  void backward() override {
    if (natural_)
      copy(backward_plan(), in_->memory(), out_->memory(),
           CUFFT_COPY_DEVICE_TO_DEVICE);  // in_ is in shuffled order since forward
    require(cufftXtExecDescriptor(backward_plan(), in_->memory(), in_->memory(), CUFFT_INVERSE),
            "cufftXtExecDescriptor inverse");
    synchronize();
    forward_was_last_ = false;
  }
  double gain() const override { return static_cast<double>(task_.points()); }

 protected:
  OnSeveralGpus(const Task& task, const Shown& shown, std::vector<int> devices)
      : task_(task), natural_(task.layout == "natural"), shown_(shown), devices_(std::move(devices)) {
    if (task.kind == r2c) backward_.emplace();
  }
  /// The constructor of what derives makes both plans; they are the same for c2c.
  [[nodiscard]] cufftHandle forward_plan() const { return forward_; }
  [[nodiscard]] cufftHandle backward_plan() const { return backward_ ? *backward_ : forward_; }
  [[nodiscard]] const Task& task() const { return task_; }
  [[nodiscard]] bool natural() const { return natural_; }
  [[nodiscard]] std::vector<int> devices() const { return devices_; }

 private:
  static void copy(cufftHandle plan, void* to, void* from, cufftXtCopyType type) {
    require(cufftXtMemcpy(plan, to, from, type), "cufftXtMemcpy");
  }
  [[nodiscard]] cudaLibXtDesc* result() const { return natural_ ? out_->memory() : in_->memory(); }
  [[nodiscard]] Shape input_extents() const {
    Shape extents = shown_.input.shape();
    if (task_.kind == r2c) extents[extents.dims() - 1] = 2 * (task_.shape[task_.shape.dims() - 1] / 2 + 1);
    return extents;
  }
  void synchronize() const {
    for (const int device : devices_) {
      require(cudaSetDevice(device), "cudaSetDevice");
      synchronize_gpu();
    }
  }

  Task task_;
  bool natural_, forward_was_last_ = false;
  Shown shown_;
  std::vector<int> devices_;
  CufftHandle forward_;
  std::optional<CufftHandle> backward_;
  std::optional<Spread> in_, out_;
  Array in_mirror_, out_mirror_;
};

}  // namespace shardfft::peers
