// The queues on which the tiles of a sweep take turns.
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"

namespace shardfft {

/// Number 0 is the queue that a sweep is asked for in; the others are the plan's own, and work between a fork from it
/// and a join. The sweeps of a plan share them, since they run one after the other.
class DeviceQueues {
 public:
  DeviceQueues(Device& device, int count);
  [[nodiscard]] int count() const { return 1 + static_cast<int>(more_.size()); }
  [[nodiscard]] Queue& queue(int number, Queue& first) const {
    return number == 0 ? first : *more_[static_cast<std::size_t>(number) - 1].queue;
  }
  /// The others of the first `used` ones wait for what `first` was asked for so far; it waits for what they were.
  void fork(Queue& first, int used) const;
  void join(Queue& first, int used) const;
  /// A queue that can stand for the first one while a graph is captured: the caller's may be the default one.
  [[nodiscard]] Queue& captured() const { return *captured_; }

 private:
  struct Own {
    std::unique_ptr<Queue> queue{};
    std::unique_ptr<Event> done{};
  };
  std::vector<Own> more_{};
  std::unique_ptr<Event> forked_;
  std::unique_ptr<Queue> captured_;
};

}  // namespace shardfft
