// Unified shared memory of a device, and of the host.
#include <algorithm>

#include <fmt/format.h>

#include "device/sycl/device.hpp"
#include "device/sycl/errors.hpp"

namespace shardfft::on_sycl {
namespace {

constexpr std::size_t alignment = 256;

}  // namespace

std::byte* SyclDevice::allocate(std::size_t bytes, const char* purpose) {
  std::byte* memory = nullptr;
  std::string why = "SYCL returned no memory";
  try {
    memory = sycl::aligned_alloc_device<std::byte>(alignment, std::max<std::size_t>(bytes, 1), device_, context_);
  } catch (const sycl::exception& exception) { why = exception.what(); }
  if (!memory)
    throw Error(Status::out_of_memory,
                fmt::format("not enough memory, no {} bytes of device memory for {} on sycl:{}: {}; {} are free; use "
                            "more devices, or arrays in host memory",
                            bytes, purpose, number_, why, facts().free_bytes));
  const std::lock_guard lock(sizes_lock_);
  sizes_[memory] = bytes;
  used_ += bytes;
  return memory;
}

void SyclDevice::free(std::byte* memory) noexcept {
  if (!memory) return;
  try {
    {
      const std::lock_guard lock(sizes_lock_);
      const auto found = sizes_.find(memory);
      if (found != sizes_.end()) used_ -= found->second, sizes_.erase(found);
    }
    sycl::free(memory, context_);
  } catch (...) {  // the runtime is gone at the end of the program, and with it the memory
  }
}

std::byte* SyclDevice::allocate_pinned(std::size_t bytes, const char* purpose) {
  std::byte* memory = nullptr;
  std::string why = "SYCL returned no memory";
  try {
    memory = sycl::aligned_alloc_host<std::byte>(alignment, std::max<std::size_t>(bytes, 1), context_);
  } catch (const sycl::exception& exception) { why = exception.what(); }
  if (!memory)
    throw Error(Status::out_of_memory,
                fmt::format("{}: no {} bytes of pinned host memory for sycl:{}: {}", purpose, bytes, number_, why));
  return memory;
}

void SyclDevice::free_pinned(std::byte* memory) noexcept {
  try {
    if (memory) sycl::free(memory, context_);
  } catch (...) {}
}

bool SyclDevice::pin(std::byte*, std::size_t) { return false; }

PointsTo SyclDevice::points_to(const void* memory) const {
  return checked("asking whose memory it is", [&]() -> PointsTo {
    const sycl::usm::alloc kind = sycl::get_pointer_type(memory, context_);
    if (kind == sycl::usm::alloc::host) return {.pinned = true};
    const bool here = kind == sycl::usm::alloc::device || kind == sycl::usm::alloc::shared;
    return {.device = here && sycl::get_pointer_device(memory, context_) == device_, .number = here ? number_ : 0};
  });
}

}  // namespace shardfft::on_sycl
