// What became of a call to the vendor's library, and the device that calls are for.
#pragma once

#include <cstddef>
#include <type_traits>

#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

/// Throws Error(device_failed) unless `result` is success: what was done ("copy of rows"), on which device, the
/// vendor's name and text of the error. Error(out_of_memory) where memory ran out, Error(unsupported) where the vendor
/// says that there is no such thing.
void check(gpuError_t result, const char* what);
/// check() for an allocation: the error names the purpose, the bytes wanted and the bytes free.
void check_allocation(gpuError_t result, const char* purpose, std::size_t bytes, const char* kind);
/// Forgets what went wrong, so that nobody who asks for the thread's last error finds it.
void forget_error() noexcept;
/// check() for destructors, which cannot report a failure.
inline void ignore(gpuError_t result) noexcept {
  if (result != gpuSuccess) forget_error();
}

[[noreturn]] void throw_other_driver();
/// The queue, event or table as this vendor's; throws Error(invalid_argument) for one of another driver.
template <class Ours, class Seam>
[[nodiscard]] auto& of_this_driver(Seam& object) {
  using Result = std::conditional_t<std::is_const_v<Seam>, const Ours, Ours>;
  if (auto* ours = dynamic_cast<Result*>(&object)) return *ours;
  throw_other_driver();
}

/// Makes a device the current one of this thread while it lives. Afterwards the thread has the device and the context
/// that it had, or no context. Since CUDA 12 choosing a device makes a context there, hundreds of megabytes: a thread
/// that never used device 0 must not be put back on it by cudaSetDevice. So the driver's stack of contexts is used.
class OnDevice {
 public:
  explicit OnDevice(int number);
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice();

 private:
  void choose(int number);

  int before_ = 0;
  enum class Changed { nothing, context, device } changed_ = Changed::nothing;
};
/// A device that OnDevice chose in this process; -1: none so far.
[[nodiscard]] int some_used_device() noexcept;

/// Calls `release` on its device, as destructors do. An error does no harm: at the end of the program the driver is
/// gone. On a thread without a context a release, too, would make one on device 0.
template <class Release>
void release_on(int device, Release release) noexcept {
  try {
    const OnDevice on(device);
    release();
  } catch (...) {}
}

}  // namespace shardfft::SHARDFFT_GPU
