// cuFFT on one GPU: its own plan of all axes, out of place. It has no measured plans, so the best call is the only one.
#include <cufftXt.h>

#include <optional>
#include <vector>

#include "peer_cufft.hpp"
#include "peer_one_gpu.hpp"
#include "peers/common/dense.hpp"

namespace shardfft::peers {
namespace {

/// A plan of all axes and fields, without gaps.
void make_plan(cufftHandle handle, const Task& task, cufftType type) {
  std::vector<long long> n(task.shape.begin(), task.shape.end());
  std::size_t work_bytes = 0;
  require(cufftMakePlanMany64(handle, static_cast<int>(n.size()), n.data(), nullptr, 1, 0, nullptr, 1, 0, type,
                              task.batch, &work_bytes),
          "cufftMakePlanMany64");
}

class OnOneGpu final : public Transform {
 public:
  explicit OnOneGpu(const Task& task) : task_(task) {
    make_plan(forward_, task, forward_type(task));
    if (task.kind == c2c) return;
    backward_.emplace();
    make_plan(*backward_, task, backward_type(task));
  }

  void allocate() override {
    in_.emplace(product(task_.input_array()) * task_.input_element());
    out_.emplace(product(task_.spectrum_array()) * task_.spectrum_element());
  }
  std::vector<LocalPart> input() override {
    return {dense(whole(task_.input_array()), in_->host(), task_.input_element())};
  }
  std::vector<LocalPart> spectrum() override {
    return {dense(whole(task_.spectrum_array()), out_->host(), task_.spectrum_element())};
  }
  void to_device() override { in_->to_device(); }
  void to_host() override { in_->to_host(), out_->to_host(); }
  void forward() override {
    require(cufftXtExec(forward_, in_->device(), out_->device(), CUFFT_FORWARD), "cufftXtExec forward");
    synchronize_gpu();
  }
  void backward() override {
    require(cufftXtExec(backward_ ? *backward_ : forward_, out_->device(), in_->device(), CUFFT_INVERSE),
            "cufftXtExec inverse");
    synchronize_gpu();
  }
  double gain() const override { return static_cast<double>(task_.points()); }
  Description describe() const override {
    return {"one GPU, cufftMakePlanMany64, out of place", in_one_process, in_one_process};
  }

 private:
  Task task_;
  CufftHandle forward_;
  std::optional<CufftHandle> backward_;
  std::optional<Mirrored> in_, out_;
};

}  // namespace

std::unique_ptr<Library> this_library() {
  return std::make_unique<OneGpuLibrary<OnOneGpu>>("cufft", cufft_version, [] { return why_not_on_gpus(1); });
}

}  // namespace shardfft::peers
