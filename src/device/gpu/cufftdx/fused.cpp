// Fused transforms on NVIDIA's GPUs; built where cuFFTDx is found. There is no such thing for HIP.
#include <fmt/format.h>

#include "device/gpu/check.hpp"
#include "device/gpu/cufftdx/kernels.hpp"
#include "device/gpu/queue.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace cuda {
namespace {

struct CudaFused final : FusedKernels {
  [[nodiscard]] std::string_view space() const override { return "cuda"; }
  [[nodiscard]] bool supports(Index n, Scalar scalar) const override { return scalar != Scalar::f80 && has_fused(n); }
  void run(Queue& queue, const FusedSpec& spec, const std::byte* from, std::byte* to) const override {
    shardfft::check(spec, from, to);
    if (!supports(spec.k.extent, spec.scalar)) throw Error(Status::unsupported, fmt::format("there is no fused kernel for pencils of {} elements; ask supports() first", spec.k.extent));
    const auto& ours = of_this_driver<GpuQueue>(queue);
    const OnDevice on(ours.device());
    check(launch_fused(spec, from, to, ours.device(), ours.stream()), "launch of a fused transform");
  }
};

}  // namespace
}  // namespace cuda

const FusedKernels& cuda_fused() {
  static const cuda::CudaFused kernels;
  return kernels;
}

}  // namespace shardfft
