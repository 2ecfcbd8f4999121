// What an operator is told of each index of an axis: the frequency of a mode, the place of a point.
#pragma once

#include <vector>

#include "shardfft/problem.hpp"

namespace shardfft {

/// Whether functions of this kind repeat behind the last point; else they have two ends.
[[nodiscard]] constexpr bool is_periodic(AxisKind kind) {
  return kind == AxisKind::fourier || kind == AxisKind::hartley;
}

/// Periods along the axis of the first `count` modes of this kind. The highest of an even number is negative, as in
/// NumPy; a half spectrum has 0 and more. Cosines and sines: half periods between the ends.
[[nodiscard]] std::vector<double> frequencies(AxisKind kind, Index count, bool half);

/// Places of the first `count` of n points in the period, or between the ends, from 0 to 1.
[[nodiscard]] std::vector<double> places(AxisKind kind, Index n, Index count);

}  // namespace shardfft
