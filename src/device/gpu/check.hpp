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

/// Makes a device the current one of this thread, and puts the old one back.
class OnDevice {
 public:
  explicit OnDevice(int number);
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice();

 private:
  int before_ = 0;
  bool changed_ = false;
};
/// Whether OnDevice ever was, in this process.
[[nodiscard]] bool any_device_was_used() noexcept;

}  // namespace shardfft::SHARDFFT_GPU
