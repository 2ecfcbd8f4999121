// The layouts of all stages at once: a shortest path over (axis, layout).
#pragma once

#include "planner/decide/candidates.hpp"
#include "planner/decide/rank_device.hpp"
#include "planner/model/model.hpp"
#include "planner/problem/problem.hpp"

namespace shardfft {

/// What the path is paid with: seconds of a model, or one per exchange.
struct Costs {
  const Model* model = nullptr;         ///< nullptr: count exchanges
  const DeviceCosts* device = nullptr;  ///< beside it, where a device that was measured transforms: its seconds count
  Index plane_limit =
      0;  ///< bytes of a plane that stays in cache between two axes of one sweep; on a device, of all axes of one sweep
  Index narrow_plane_limit = plane_limit;  ///< not on a device: the same of a plane without the fast axis, whose short
                                           ///< lines a core's own cache must hold, beside what passes through it
  int fuse = 2;                            ///< axes in one sweep at most
  bool on_device = false;  ///< a device does planes of any size that it has room for, one after the other
};

struct Decomposition {
  std::vector<Stage> stages{};
  Layout space{}, spectrum{};
  double cost = 0;
};

/// `order`: the axes as analysis transforms them. `space` and `spectrum` may be `any`. Deterministic; only index
/// arithmetic.
[[nodiscard]] Decomposition decompose(const CheckedProblem& problem, const std::vector<AxisTransform>& order,
                                      const LayoutSpec& space, const LayoutSpec& spectrum, int ranks,
                                      const GridRules& rules, const Costs& costs);

/// The axes in the order in which analysis transforms them: last one first, unless the words for the two layouts make
/// the opposite order save an exchange; `forced` (order of the plan's forward transforms) wins. Complex axes of one
/// element are left out, unless there are no others. Independent of the number of ranks, so that the result is bitwise
/// the same on any. Throws Error(invalid_argument).
[[nodiscard]] std::vector<AxisTransform> axis_order(const CheckedProblem& problem, const LayoutSpec& space,
                                                    const LayoutSpec& spectrum, const std::vector<int>& forced);

/// The axes in the order in which synthesis transforms them, where that is not the reverse of `analysis`, which
/// axis_order() chose; else empty. A sweep is fastest where it reads memory line by line: complex axes go in the order
/// in which the spectrum lies in memory, fastest first, if that one is transformed and both layouts are slabs, the same
/// pencils, or bricks. The reverse is kept where it saves an exchange, by matrices, whose sweeps have an axis each, and
/// by layouts that leave something to the planner. Independent of the number of ranks.
[[nodiscard]] std::vector<AxisTransform> synthesis_order(const CheckedProblem& problem, const LayoutSpec& space,
                                                         const LayoutSpec& spectrum,
                                                         const std::vector<AxisTransform>& analysis);

}  // namespace shardfft
