#include <utility>

#include "device/device.hpp"

namespace shardfft {

// Failures of a vendor's driver stay: each later call says so.
void Queue::finish() noexcept {
  try {
    synchronize();
  } catch (...) {}
}

DeviceMemory::DeviceMemory(std::shared_ptr<Device> device, std::size_t bytes, const char* purpose, MemoryKind kind)
    : device_(std::move(device)), bytes_(bytes), kind_(kind) {
  if (bytes > 0)
    data_ = kind == MemoryKind::device ? device_->allocate(bytes, purpose) : device_->allocate_pinned(bytes, purpose);
}

DeviceMemory::~DeviceMemory() {
  if (!data_) return;
  if (kind_ == MemoryKind::device)
    device_->free(data_);
  else
    device_->free_pinned(data_);
}

std::byte* DeviceMemory::release() { return std::exchange(data_, nullptr); }

void DeviceMemory::swap(DeviceMemory& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(kind_, other.kind_);
}

}  // namespace shardfft
