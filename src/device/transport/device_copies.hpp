// Copies between devices, in parts over several queues, so that all engines of a device that copy have something to do
// and a long message does not hold up a short one.
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"

namespace shardfft {

/// How copies are cut; what is best depends on the machine and is tuned.
struct CopySettings {
  int queues = 2;                     ///< 1 to 16; SHARDFFT_COPY_QUEUES
  std::size_t part_bytes = 4u << 20;  ///< at least 64; SHARDFFT_COPY_BYTES
};
/// The defaults, or what the environment says. Throws Error(invalid_argument) that names the variable.
[[nodiscard]] CopySettings copy_settings();

class CopyQueues {
 public:
  /// `staged`: with memory for copies through the host, a part for each queue.
  CopyQueues(const std::shared_ptr<Device>& device, const CopySettings& settings, bool staged);
  ~CopyQueues();

  void wait(const Event& event);  ///< by all copies that are asked for from now on
  template <class Wait>
  void wait_for(Wait wait) {  ///< the same, with wait(queue) for each queue
    for (const CopyLane& lane : lanes_) wait(*lane.queue);
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes);
  /// Through pinned memory of the host. For `staged` ones.
  void copy_through_host(std::byte* to, const std::byte* from, std::size_t bytes);
  /// Done when all copies asked for so far are; records of one CopyQueues are done in their order.
  void record(Event& event);

 private:
  struct CopyLane {
    std::unique_ptr<Queue> queue{};
    std::unique_ptr<Event> copied{};
    std::byte* stage = nullptr;
    bool used = false;  ///< since the last record
  };
  template <class Copy>
  void in_parts(std::byte* to, const std::byte* from, std::size_t bytes, Copy copy);

  std::size_t part_bytes_, next_ = 0;
  DeviceMemory stages_{};
  std::vector<CopyLane> lanes_{};
  std::unique_ptr<Queue> tail_;  ///< copies nothing: where the lanes' ends meet
};

}  // namespace shardfft
