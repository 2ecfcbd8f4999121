// A table that the host makes once and a device reads again and again.
#pragma once

#include <span>
#include <utility>

#include "device/device.hpp"

namespace shardfft {

template <class Entry>
class DeviceTable {
 public:
  DeviceTable() = default;
  /// Copies, and waits until that is done.
  DeviceTable(std::shared_ptr<Device> device, Queue& queue, std::span<const Entry> entries, const char* purpose)
      : memory_(std::move(device), entries.size_bytes(), purpose) {
    if (entries.empty()) return;
    queue.copy(memory_.data(), entries.data(), entries.size_bytes());
    queue.synchronize();
  }
  [[nodiscard]] const Entry* data() const { return reinterpret_cast<const Entry*>(memory_.data()); }
  [[nodiscard]] Entry* data() { return reinterpret_cast<Entry*>(memory_.data()); }

 private:
  DeviceMemory memory_{};
};

}  // namespace shardfft
