// NCCL and RCCL by the same names. RCCL has NCCL's for all that begins with nccl; the few calls of the run-time library
// beside it are here. Neither is linked: nccl_library.hpp loads it.
#pragma once

#include <array>
#include <optional>
#include <string>

#if defined(SHARDFFT_RCCL)
#include <hip/hip_runtime_api.h>
#include <rccl/rccl.h>
#else
#include <cuda_runtime_api.h>
#include <nccl.h>
#endif

#include "device/gpu/check.hpp"
#include "shardfft/error.hpp"

namespace shardfft::nccl {

#if defined(SHARDFFT_RCCL)
using Stream = hipStream_t;
inline constexpr const char* library_name = "RCCL";
inline constexpr const char* library_file = "librccl.so.1";
inline constexpr const char* space = "hip";  // of devices that it serves
inline bool bus_id(int number, char* text, int length) {
  return hipDeviceGetPCIBusId(text, length, number) == hipSuccess;
}
#else
using Stream = cudaStream_t;
inline constexpr const char* library_name = "NCCL";
inline constexpr const char* library_file = "libnccl.so.2";
inline constexpr const char* space = "cuda";
inline bool bus_id(int number, char* text, int length) {
  return cudaDeviceGetPCIBusId(text, length, number) == cudaSuccess;
}
#endif

/// Makes a device the current one of this thread while it lives, where it can. NCCL puts back the current device, too:
/// on a thread that never used device 0 that would make a context there.
class CurrentDevice {
 public:
  explicit CurrentDevice(int number) {
    try {
      on_.emplace(number);
    } catch (const Error&) {}  // ok() says so
  }
  [[nodiscard]] bool ok() const { return on_.has_value(); }

 private:
  std::optional<SHARDFFT_GPU::OnDevice> on_{};
};

}  // namespace shardfft::nccl
