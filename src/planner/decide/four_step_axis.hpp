// Which axis is swept in two halves (grid/axis_split.hpp), and what the planner sees then.
#pragma once

#include <optional>

#include "grid/axis_split.hpp"
#include "planner/problem/problem.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// Two layouts of a caller, where `any` may have been replaced.
struct CallersLayouts {
  LayoutSpec space{}, spectrum{};
};

/// The split of a plan where the only transformed axis, complex or real, is long, so that neither a core's cache nor a
/// rank needs to hold it; or none. It depends on the problem, the options and the words for the layouts, never on the
/// number of ranks or on the machine, since it decides about bits. (On devices, which promise none: of an axis that is
/// alone, on several `ranks`.) Option `split` forbids it (never), or wants it wherever there are two factors (always):
/// then of several axes the last but one of `axes`. `ends`: where there is a split, `any` becomes slabs, or cyclic as
/// the other end is.
[[nodiscard]] std::optional<AxisSplit> choose_split(const CheckedProblem& problem, const Options& options,
                                                    CallersLayouts& ends, int ranks);

/// How the spectrum's index is made of the two halves.
[[nodiscard]] inline Digits digits_after(const AxisSplit& s, const CheckedProblem& problem) {
  return problem.real && s.axis == problem.real_axis ? Digits::hermitian : Digits::after;
}
/// The problem of the array that is swept; what was asked stays. Of reals the slow half is the real axis.
[[nodiscard]] CheckedProblem split(const AxisSplit& s, const CheckedProblem& problem);
/// Its axes in the order of analysis: the slow half where the axis was, the fast half last.
[[nodiscard]] std::vector<AxisTransform> split(const AxisSplit& s, const CheckedProblem& halved,
                                               const std::vector<AxisTransform>& order);

}  // namespace shardfft
