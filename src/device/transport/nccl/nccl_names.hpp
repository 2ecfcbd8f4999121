// NCCL and RCCL by the same names. RCCL has NCCL's for all that begins with nccl; the few calls of the run-time library
// beside it are here. Neither is linked: nccl_library.hpp loads it.
#pragma once

#include <array>
#include <string>

#if defined(SHARDFFT_RCCL)
#include <hip/hip_runtime_api.h>
#include <rccl/rccl.h>
#else
#include <cuda_runtime_api.h>
#include <nccl.h>
#endif

namespace shardfft::nccl {

#if defined(SHARDFFT_RCCL)
using Stream = hipStream_t;
inline constexpr const char* library_name = "RCCL";
inline constexpr const char* library_file = "librccl.so.1";
inline constexpr const char* space = "hip";  // of devices that it serves
inline bool use_device(int number) { return hipSetDevice(number) == hipSuccess; }
inline bool used_device(int* number) { return hipGetDevice(number) == hipSuccess; }
inline bool bus_id(int number, char* text, int length) {
  return hipDeviceGetPCIBusId(text, length, number) == hipSuccess;
}
#else
using Stream = cudaStream_t;
inline constexpr const char* library_name = "NCCL";
inline constexpr const char* library_file = "libnccl.so.2";
inline constexpr const char* space = "cuda";
inline bool use_device(int number) { return cudaSetDevice(number) == cudaSuccess; }
inline bool used_device(int* number) { return cudaGetDevice(number) == cudaSuccess; }
inline bool bus_id(int number, char* text, int length) {
  return cudaDeviceGetPCIBusId(text, length, number) == cudaSuccess;
}
#endif

/// Makes a device the current one of this thread, where it can, and puts the caller's back.
class CurrentDevice {
 public:
  explicit CurrentDevice(int number) : ok_(used_device(&before_) && use_device(number)) {}
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() { static_cast<void>(use_device(before_)); }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  int before_ = 0;
  bool ok_;
};

}  // namespace shardfft::nccl
