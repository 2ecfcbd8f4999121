// Memory of the host that another transport made, pinned for a device where it can be.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace shardfft {

class DevicePins {
 public:
  using Range = std::pair<std::byte*, std::byte*>;  ///< [start, end)
  DevicePins() = default;
  /// Whole pages around `ranges`, each page once. What cannot be pinned is left as it is: copies are slower then.
  DevicePins(const std::shared_ptr<Device>& device, std::vector<Range> ranges);
  DevicePins(DevicePins&& other) noexcept { swap(other); }
  DevicePins& operator=(DevicePins&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DevicePins();

 private:
  void swap(DevicePins& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(pinned_, other.pinned_);
  }
  std::shared_ptr<Device> device_{};
  std::vector<std::byte*> pinned_{};
};

/// The ranges rounded to pages of `page` bytes and sorted by address. Ranges that meet are joined.
[[nodiscard]] std::vector<DevicePins::Range> whole_pages(std::vector<DevicePins::Range> ranges, std::size_t page);

}  // namespace shardfft
