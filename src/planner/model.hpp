// What sweeps and exchanges cost on a machine, in seconds, for the rank that has most to do.
#pragma once

#include "pipeline/stages.hpp"
#include "planner/machine.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

struct Model {
  Machine machine{};
  const Comm* comm = nullptr;
  int threads = 1;

  /// Reading and writing `elements` of `bytes` each, and computing on them; the larger of the two.
  [[nodiscard]] double pass(double elements, double bytes, double flops) const;
  /// From one layout to another; the bytes themselves are stored by the sweep before it.
  [[nodiscard]] double exchange(const Layout& from, const Layout& to, double bytes) const;
};

/// Elements of the rank that owns most; in block and cyclic layouts that is rank 0.
[[nodiscard]] double largest_part(const Layout& layout);
/// Nominal operations of transforming `elements` along an axis of length n.
[[nodiscard]] double axis_flops(const StageAxis& axis, double elements);

}  // namespace shardfft
