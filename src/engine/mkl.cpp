// Engine mkl: 1-D transforms of Intel oneMKL (DFTI), both precisions.
#include <mkl_dfti.h>
#include <mkl_service.h>

#include <fmt/format.h>

#include "engine/registry.hpp"
#include "engine/row_kernel.hpp"
#include "shardfft/error.hpp"
#include "support/handle.hpp"

namespace shardfft {
namespace {

void check(MKL_LONG status, Index n) {
  if (status == DFTI_NO_ERROR) return;
  const Status kind = status == DFTI_MEMORY_ERROR ? Status::out_of_memory : Status::unsupported;
  throw Error(kind,
              fmt::format("engine mkl: length {} was refused: {}; choose another engine", n, DftiErrorMessage(status)));
}

void free_descriptor(DFTI_DESCRIPTOR_HANDLE handle) { DftiFreeDescriptor(&handle); }

class MklKernel final : public RowKernel {
 public:
  explicit MklKernel(const KernelRequest& request) : RowKernel(request) {
    if (request.looks_only) return;
    const bool real = request.transform == Transform1d::r2c || request.transform == Transform1d::c2r;
    DFTI_DESCRIPTOR_HANDLE made = nullptr;
    check(DftiCreateDescriptor(&made, request.scalar == Scalar::f32 ? DFTI_SINGLE : DFTI_DOUBLE,
                               real ? DFTI_REAL : DFTI_COMPLEX, 1, static_cast<MKL_LONG>(request.n)),
          request.n);
    handle_ = decltype(handle_)(made);
    check(DftiSetValue(made, DFTI_PLACEMENT, DFTI_NOT_INPLACE), request.n);
    check(DftiSetValue(made, DFTI_THREAD_LIMIT, static_cast<MKL_LONG>(1)), request.n);
    if (real) check(DftiSetValue(made, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX), request.n);
    check(DftiCommitDescriptor(made), request.n);
  }
  [[nodiscard]] std::string describe() const override { return fmt::format("mkl {}", request_.n); }

 private:
  void pencil(std::byte* in, std::byte* out) const override {
    if (request_.transform == Transform1d::c2r)
      request_.scalar == Scalar::f32 ? clear_ignored<float>(in) : clear_ignored<double>(in);
    const bool forward = request_.transform == Transform1d::forward || request_.transform == Transform1d::r2c;
    forward ? DftiComputeForward(handle_.get(), in, out) : DftiComputeBackward(handle_.get(), in, out);
  }

  Handle<DFTI_DESCRIPTOR_HANDLE, free_descriptor> handle_{};
};

/// Tiles are spread over threads by the caller; MKL's own thread pool would only be in the way.
void use_one_thread() {
  static const int once = mkl_set_threading_layer(MKL_THREADING_SEQUENTIAL);
  static_cast<void>(once);
}

struct MklEngine final : Engine {
  [[nodiscard]] std::string_view name() const override { return "mkl"; }
  [[nodiscard]] std::string refuses(const KernelRequest& request) const override {
    if (is_r2r(request.transform))
      return fmt::format("engine mkl: computes fourier axes, not {}; use engine native",
                         shardfft::name(request.transform));
    return request.n < 1 ? fmt::format("engine mkl: the length must be at least 1, but it is {}", request.n) : "";
  }
  [[nodiscard]] std::shared_ptr<const Kernel> make(const KernelRequest& request) const override {
    if (const std::string reason = refuses(request); !reason.empty()) throw Error(Status::unsupported, reason);
    use_one_thread();
    return std::make_shared<MklKernel>(request);
  }
};

}  // namespace

const Engine& mkl_engine() {
  static const MklEngine engine;
  return engine;
}

}  // namespace shardfft
