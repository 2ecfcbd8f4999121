// Axes of a sweep, named as they lie in memory.
#pragma once

#include "sweep/sweep.hpp"

namespace shardfft {

/// The sweep with its axes renamed: the last one is the fastest in memory, the first one the slowest. Sweeps walk, fuse
/// and join axes by their numbers. Unchanged if patches differ in the order of their axes.
[[nodiscard]] SweepSpec with_axes_in_memory_order(SweepSpec spec);

}  // namespace shardfft
