// How long the steps of a run took on a device, whose host only asks for them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "pipeline/place.hpp"

namespace shardfft {

/// Marks in a queue, between what was asked for: the time between two of them belongs to a line of a report. Nothing is
/// allocated after construction.
class QueueTimes final : public RunTimes {
 public:
  /// Times of one run with at most `marks` marks; later marks are left out.
  QueueTimes(const DeviceContext& on, std::size_t marks);
  void start() override;
  void mark(std::optional<std::size_t> line) override;
  void settle(std::vector<StepReport>& lines) override;

 private:
  Queue* queue_;
  std::vector<std::unique_ptr<Event>> events_{};
  std::vector<std::optional<std::size_t>> lines_{};  // number i: from event i to event i + 1
  bool settled_ = true;
};

}  // namespace shardfft
