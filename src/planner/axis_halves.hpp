// Which axis is swept in two halves (grid/axis_split.hpp), and what the planner sees then.
#pragma once

#include <optional>

#include "grid/axis_split.hpp"
#include "planner/problem.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// Two layouts of a caller, where `any` may have been replaced.
struct Ends {
  LayoutSpec space{}, spectrum{};
};

/// The split of a plan of the host, or none. It depends on the problem, the options and the words for the layouts, never on the number of ranks or on the machine, since it decides about bits. Two cases:
/// - The only transformed axis is long: neither a core's cache nor a rank needs to hold it then. `ends`: `any` becomes slabs.
/// - Three axes, slabs along the last one to be transformed on both sides, planes of the first two that no core's cache holds: half of the second one is left to the second sweep, so that both sweeps have planes that fit.
/// Option `split` forbids it (0), or wants it wherever an axis has two factors (1).
[[nodiscard]] std::optional<AxisSplit> choose_split(const CheckedProblem& problem, const Options& options, Ends& ends);

/// The problem of the array that is swept; what was asked stays.
[[nodiscard]] CheckedProblem split(const AxisSplit& s, const CheckedProblem& problem);
/// Its axes in the order of analysis: the slow half where the axis was, the fast half last.
[[nodiscard]] std::vector<StageAxis> split(const AxisSplit& s, const CheckedProblem& halved, const std::vector<StageAxis>& order);

}  // namespace shardfft
