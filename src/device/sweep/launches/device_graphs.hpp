// Graphs of what a sweep asks of a device, for arrays that it has seen before.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace shardfft {

struct OperatorFormula;

/// Whether sweeps are captured. Tests and tools/gpu_first_run compare with SHARDFFT_TEST_GRAPHS=off, which says no.
[[nodiscard]] bool captures_sweeps();

/// What may differ from run to run of one chunk.
struct SweepArguments {
  const std::byte* input = nullptr;
  std::byte *output = nullptr, *scratch = nullptr;
  double factor = 1;
  std::weak_ptr<const OperatorFormula> formula{};  ///< weak: the caller decides how long its tables take memory
  friend bool operator==(const SweepArguments& a, const SweepArguments& b) {
    return a.input == b.input && a.output == b.output && a.scratch == b.scratch && a.factor == b.factor &&
           !a.formula.owner_before(b.formula) && !b.formula.owner_before(a.formula);
  }
};

/// Graphs of one chunk of a sweep. The first run with given arguments goes call by call, for a vendor's library may
/// load kernels then. The second run is captured; it and later ones are launched. Callers alternate between arrays, so
/// arguments of the last few runs are kept.
class DeviceGraphs {
 public:
  /// Asks calls(queue) of `queue`, by a graph if there is one. `captured`: the queue that stands for it meanwhile.
  template <class Calls>
  void run(Device& device, Queue& queue, Queue& captured, const SweepArguments& arguments, const Calls& calls) {
    Known& known = known_of(device, queue, arguments);
    if (++known.runs == 2) known.graph = captured.capture([&] { calls(captured); });
    known.graph ? queue.launch(*known.graph) : calls(queue);
  }

 private:
  struct Known {
    SweepArguments arguments{};
    int runs = 0;
    std::unique_ptr<Graph> graph{};
  };
  /// The first one of all from now on; a new one takes the place of the one that was used longest ago.
  [[nodiscard]] Known& known_of(Device& device, Queue& queue, const SweepArguments& arguments);
  /// Keeps it until the queue has done with it.
  void retire(Device& device, Queue& queue, std::unique_ptr<Graph> graph);

  std::array<Known, 4> known_{};
  std::vector<std::pair<std::unique_ptr<Graph>, std::unique_ptr<Event>>> retired_{};
};

}  // namespace shardfft
