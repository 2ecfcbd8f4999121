// What the peers that call cuFFT share: checked calls, plans, and words.
#pragma once

#include <cufft.h>

#include <utility>

#include "peer_cuda.hpp"

namespace shardfft::peers {

/// Sizes and kinds that cuFFT does not know are not served; all else is a failure.
inline void require(cufftResult status, const char* call) {
  if (status == CUFFT_SUCCESS) return;
  const std::string text = fmt::format("{}: status {} of cufft.h", call, static_cast<int>(status));
  if (status == CUFFT_INVALID_SIZE || status == CUFFT_NOT_IMPLEMENTED || status == CUFFT_NOT_SUPPORTED)
    throw Unsupported(text);
  throw std::runtime_error(text);
}

inline std::string cufft_version() {
  int number = 0;
  require(cufftGetVersion(&number), "cufftGetVersion");
  return fmt::format("{}.{}.{}", number / 1000, number / 100 % 10, number % 100);
}

inline cufftType forward_type(const Task& task) {
  if (task.precision == f32) return task.kind == c2c ? CUFFT_C2C : CUFFT_R2C;
  return task.kind == c2c ? CUFFT_Z2Z : CUFFT_D2Z;
}

inline cufftType backward_type(const Task& task) {
  if (task.kind == c2c) return forward_type(task);
  return task.precision == f32 ? CUFFT_C2R : CUFFT_Z2D;
}

/// Owns a handle; the caller makes the plan.
class CufftHandle {
 public:
  CufftHandle() { require(cufftCreate(&handle_), "cufftCreate"); }
  ~CufftHandle() { (void)cufftDestroy(handle_); }
  CufftHandle(const CufftHandle&) = delete;
  CufftHandle& operator=(const CufftHandle&) = delete;
  operator cufftHandle() const { return handle_; }

 private:
  cufftHandle handle_ = 0;
};

}  // namespace shardfft::peers
