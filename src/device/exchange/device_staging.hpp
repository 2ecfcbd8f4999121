// Pinned memory in which a device and its host show each other heads of messages, sizes and tables; one for all
// exchanges of a plan, since they follow each other.
#pragma once

#include <functional>
#include <memory>

#include "device/device.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft {

class DeviceStaging {
 public:
  /// `queue` outlives this. `await`: waits for an event of the device, and helps along what others wait for meanwhile.
  DeviceStaging(std::shared_ptr<Device> device, Queue& queue, std::function<void(const Event&)> await);

  /// So many bytes will be needed; while a plan is made.
  void need(std::size_t bytes);
  /// For the host to write, and for the queue to copy from and to. Waits until the queue has done what was asked of it
  /// with the memory before.
  [[nodiscard]] std::byte* lend();
  /// The host waits until all is done that the queue was asked for.
  void finish();
  /// The queue was asked for copies from this memory, and the host waits for nothing.
  void leave();

  [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
  [[nodiscard]] Queue& queue() const { return queue_; }

 private:
  std::shared_ptr<Device> device_;
  Queue& queue_;
  std::function<void(const Event&)> await_;
  std::unique_ptr<Event> done_;
  DeviceMemory memory_{};
};

/// Parts of one memory, one after the other, each aligned to 64: first to find out how much is needed (from nullptr),
/// then to use it.
class Parts {
 public:
  explicit Parts(std::byte* start) : start_(start) {}
  template <class Entry>
  [[nodiscard]] Entry* take(std::size_t count) {
    std::byte* const here = start_ ? start_ + used_ : nullptr;
    used_ += round_up(count * sizeof(Entry), cache_line);
    return reinterpret_cast<Entry*>(here);
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* start_;
  std::size_t used_ = 0;
};

/// Memory of the device for what divide(Parts&) takes, which is called twice: to count, and to keep.
template <class Divide>
[[nodiscard]] DeviceMemory memory_for_parts(const std::shared_ptr<Device>& device, const char* purpose, Divide divide) {
  Parts counted(nullptr);
  divide(counted);
  DeviceMemory memory(device, counted.used(), purpose);
  Parts parts(memory.data());
  divide(parts);
  return memory;
}

}  // namespace shardfft
