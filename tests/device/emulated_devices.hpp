// Emulated devices, and memory of them that is filled and read from the host.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "device/emulated/scheduler.hpp"

namespace shardfft::testing {

inline std::shared_ptr<Device> emulated_device(int number = 0) { return find_driver("emulated")->open(number); }

/// Memory of a device, or pinned memory, for numbers of type T.
template <class T>
class Numbers {
 public:
  Numbers(std::shared_ptr<Device> device, std::size_t count, MemoryKind kind = MemoryKind::device)
      : device_(std::move(device)), memory_(device_, count * sizeof(T), "numbers of a test", kind), count_(count) {}
  Numbers(std::shared_ptr<Device> device, const std::vector<T>& values) : Numbers(std::move(device), values.size()) {
    set(values);
  }

  [[nodiscard]] std::byte* data() const { return memory_.data(); }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  [[nodiscard]] T* numbers() const {
    return reinterpret_cast<T*>(memory_.data());
  }  ///< pinned memory as the host sees it
  /// Copies and waits for the copy.
  void set(const std::vector<T>& values) {
    const auto queue = device_->make_queue();
    queue->copy(data(), values.data(), values.size() * sizeof(T));
    queue->synchronize();
  }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> values(count_);
    device_->make_queue()->copy(values.data(), data(), bytes());
    return values;
  }

 private:
  std::shared_ptr<Device> device_;
  DeviceMemory memory_;
  std::size_t count_;
};

template <class T>
Numbers<T> pinned(const std::shared_ptr<Device>& device, const std::vector<T>& values) {
  Numbers<T> numbers(device, values.size(), MemoryKind::pinned);
  std::memcpy(numbers.data(), values.data(), numbers.bytes());
  return numbers;
}

/// body() with every seed of 1 to `most`.
template <class Body>
void for_seeds(int most, Body body) {
  for (int seed = 1; seed <= most; ++seed) {
    emulated::scheduler().reseed(static_cast<std::uint64_t>(seed));
    body(seed);
  }
}

}  // namespace shardfft::testing
