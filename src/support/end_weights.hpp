// What makes cosine and sine transforms orthogonal: weights of their first and last elements.
#pragma once

#include "shardfft/problem.hpp"

namespace shardfft {

/// Whether an element is multiplied by the root of 2 before (in), or of 1/2 after (out) the transform.
struct EndWeights {
  bool first_in = false, last_in = false, first_out = false, last_out = false;
};
[[nodiscard]] constexpr EndWeights end_weights(AxisKind kind) {
  switch (kind) {
    case AxisKind::cosine1:
      return {.first_in = true, .last_in = true, .first_out = true, .last_out = true};
    case AxisKind::cosine2:
      return {.first_out = true};
    case AxisKind::cosine3:
      return {.first_in = true};
    case AxisKind::sine2:
      return {.last_out = true};
    case AxisKind::sine3:
      return {.last_in = true};
    default:
      return {};
  }
}

/// Without these weights, the norm after the transform is the root of the logical length times that before it, times
/// something between `least` and `most`.
struct NormRange {
  double least = 1, most = 1;
};
[[nodiscard]] constexpr NormRange norm_range(AxisKind kind) {
  constexpr double root2 = 1.41421356237309515;
  const EndWeights ends = end_weights(kind);
  return {.least = ends.first_in || ends.last_in ? 1 / root2 : 1, .most = ends.first_out || ends.last_out ? root2 : 1};
}

}  // namespace shardfft
