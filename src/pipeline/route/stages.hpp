// The sweeps of a transform before they are bound to memory: which axes, on which layout.
#pragma once

#include <vector>

#include "engine/axis_transform.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// One sweep: its axes in the order in which they are transformed, on a layout that is whole along all of them. `in`
/// and `out` have the same owners; they differ in the extent of the real axis.
struct Stage {
  std::vector<AxisTransform> axes{};
  Layout in{}, out{};
};

/// Factor on the result of a transform over n points.
[[nodiscard]] double scale_of(Scaling scaling, double n);

/// The same owners of an array whose extent along `axis` is `n`; `layout` is whole along that axis. Memory order is the
/// natural one.
[[nodiscard]] Layout with_extent(const Layout& layout, int axis, Index n);

/// The same stages with the transforms inverted, from what their last layout holds to their first one.
[[nodiscard]] std::vector<Stage> inverted(std::vector<Stage> stages);

/// The list of the opposite direction: stages and axes reversed, transforms inverted.
[[nodiscard]] std::vector<Stage> reversed(const std::vector<Stage>& stages);

}  // namespace shardfft
