// Fused transforms on NVIDIA's GPUs; built where cuFFTDx is found. There is no such thing for HIP.
#include <fmt/format.h>

#include "device/gpu/check.hpp"
#include "device/gpu/cufftdx/kernels.hpp"
#include "device/gpu/device.hpp"
#include "device/gpu/queue.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace cuda {
namespace {

FusedLaunch launch_of(const FusedSpec& spec) {
  if (spec.real() && spec.n % 2 != 0) return nullptr;
  return spec.scalar == Scalar::f32 ? find_fused_f32(spec.complex_n()) : find_fused_f64(spec.complex_n());
}

class CudaFusedList final : public FusedList {
 public:
  CudaFusedList(GpuDevice& device, const FusedSpec& spec, const FusedTable& table)
      : spec_(spec),
        launch_(launch_of(spec)),
        memory_(device.table(table.memory, "a table of fused transforms")),
        view_(table.view(memory_.data())) {}
  void run(Queue& queue, const MoveBases& bases) const override {
    check_places(spec_, bases);
    const auto& ours = of_this_driver<GpuQueue>(queue);
    const OnDevice on(ours.device());
    check(launch_(spec_, view_, bases, ours.device(), ours.stream()), "launch of a fused transform");
  }

 private:
  FusedSpec spec_;
  FusedLaunch launch_;
  DeviceMemory memory_;
  FusedTableView view_;  ///< addresses in memory_
};

struct CudaFused final : FusedKernels {
  [[nodiscard]] std::string_view space() const override { return "cuda"; }
  [[nodiscard]] bool supports(const FusedSpec& spec) const override { return launch_of(spec) != nullptr; }
  [[nodiscard]] std::unique_ptr<FusedList> make(Device& device, const FusedSpec& spec,
                                                std::span<const PencilFamily> families) const override {
    if (!supports(spec))
      throw Error(Status::unsupported,
                  fmt::format("there is no fused kernel for pencils of {} elements; ask supports() first", spec.n));
    return std::make_unique<CudaFusedList>(of_this_driver<GpuDevice>(device), spec, make_fused_table(spec, families));
  }
};

}  // namespace
}  // namespace cuda

const FusedKernels& cuda_fused() {
  static const cuda::CudaFused kernels;
  return kernels;
}

}  // namespace shardfft
