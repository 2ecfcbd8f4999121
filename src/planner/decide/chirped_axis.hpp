// Which axis is computed as a convolution that ranks share (grid/chirped_axis.hpp), and what the planner sees then.
#pragma once

#include <optional>

#include "grid/chirped_axis.hpp"
#include "planner/decide/four_step_axis.hpp"

namespace shardfft {

/// The axis of a plan whose only one, of complex numbers, is long and has no two factors; or none. Like choose_split()
/// it depends on the problem, the options and the words for the layouts alone, since it decides about bits. Option
/// `split` forbids it (never), or wants it from a few elements on (always).
[[nodiscard]] std::optional<ChirpedAxis> choose_chirped(const CheckedProblem& problem, const Options& options,
                                                        CallersLayouts& ends);

/// The two-dimensional convolution: from the caller's rows to its spectrum.
[[nodiscard]] CheckedProblem chirped(const ChirpedAxis& axis, const CheckedProblem& problem);

}  // namespace shardfft
