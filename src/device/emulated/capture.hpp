// What lines of the scheduler were asked for while they were captured: a graph of an emulated device.
#pragma once

#include "device/emulated/device.hpp"
#include "device/emulated/scheduler.hpp"

namespace shardfft::emulated {

/// Steps in the order in which they came. Lines are known by their numbers; the first one is where the capture began.
struct Capture {
  struct CapturedWork {
    std::uint64_t line = 0;
    QueuedWork work{};
  };
  std::uint64_t number = 0;
  std::vector<LineRef> lines{};  ///< while it lasts
  std::uint64_t first = 0;
  std::vector<CapturedWork> steps{};

  void add(const LineRef& line, QueuedWork work) { steps.push_back({line->number, std::move(work)}); }
  [[nodiscard]] PointRef mark(const LineRef& line);
  /// Whether all work of all lines comes before the end of the first one.
  [[nodiscard]] bool is_joined() const;
};

/// Graph of what calls() asks of the line, which is a queue's. Throws what they throw.
[[nodiscard]] std::unique_ptr<Graph> graph_of(const LineRef& line, const std::function<void()>& calls);
/// Throws Error(invalid_argument) for graphs of other drivers.
[[nodiscard]] std::shared_ptr<const Capture> capture_of(const Graph& graph);

}  // namespace shardfft::emulated
