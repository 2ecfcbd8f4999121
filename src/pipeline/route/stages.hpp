// The sweeps of a transform before they are bound to memory: which axes, on which layout.
#pragma once

#include <optional>
#include <vector>

#include "engine/axis_transform.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// One sweep: its axes in the order in which they are transformed, on a layout that is whole along all of them. `in`
/// and `out` have the same owners; they differ in the extents of the real axis and of those with fewer points or modes.
struct Stage {
  /// An operator between its axes `before - 1` and `before`, on which it may change the number of components.
  struct Operated {
    std::size_t before = 0;
    int axis = -1;  ///< of components, along which the layouts are whole; -1: none
    Index in = 1, out = 1;
  };
  std::vector<AxisTransform> axes{};
  Layout in{}, out{};
  std::optional<Operated> operates{};
  /// Whether its sweep needs all elements along an axis at once.
  [[nodiscard]] bool spans(int axis) const;
};

/// Whether some axis has fewer points or modes: the result is looked at by itself then (pipeline/errors).
[[nodiscard]] bool is_pruned(const std::vector<Stage>& stages);

/// Whether an operator is among them: norms before it say nothing of those after it.
[[nodiscard]] bool are_operated(const std::vector<Stage>& stages);

/// Factor on the result of a transform over n points.
[[nodiscard]] double scale_of(Scaling scaling, double n);

/// A layout with the same owners whose extent along `axis` is `n`. `layout` must be whole along that axis. The result
/// has the natural memory order.
[[nodiscard]] Layout with_extent(const Layout& layout, int axis, Index n);

/// The stages with inverse transforms, from the contents of their last layout to the contents of their first one.
[[nodiscard]] std::vector<Stage> inverted(std::vector<Stage> stages);

/// The list of the opposite direction: stages and axes reversed, transforms inverted.
[[nodiscard]] std::vector<Stage> reversed(const std::vector<Stage>& stages);

/// These stages and the reverse of them, with an operator between: the last one and its reverse are one. `operated`:
/// its components.
[[nodiscard]] std::vector<Stage> there_and_back(std::vector<Stage> stages, Stage::Operated operated);

}  // namespace shardfft
