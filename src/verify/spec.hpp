// What both ways of checking need to know about a TransformSpec.
#pragma once

#include <algorithm>
#include <cmath>

#include "verify/contract.hpp"

namespace shardfft {

[[nodiscard]] inline bool is_transformed(const TransformSpec& spec, int axis) {
  return std::find(spec.axes.begin(), spec.axes.end(), axis) != spec.axes.end();
}
[[nodiscard]] inline bool is_real_axis(const TransformSpec& spec, int axis) {
  return spec.real && axis == spec.axes.back();
}
/// Real in, half spectrum out.
[[nodiscard]] inline bool is_r2c(const TransformSpec& spec, const LocalArray& in) { return spec.real && !in.complex; }
/// Half spectrum in, real out.
[[nodiscard]] inline bool is_c2r(const TransformSpec& spec, const LocalArray& in) { return spec.real && in.complex; }

/// How often element k of a half spectrum occurs in the whole spectrum of n: 1 for k = 0 and k = n/2, else 2.
[[nodiscard]] inline double multiplicity(Index k, Index n) { return k == 0 || 2 * k == n ? 1.0 : 2.0; }

/// Number of points that one output sums over.
[[nodiscard]] inline double transform_size(const TransformSpec& spec) {
  double size = 1;
  for (const int a : spec.axes) size *= static_cast<double>(spec.shape[a]);
  return size;
}

/// Exponent of the smallest subnormal, and exact_floor() in units of it.
[[nodiscard]] int smallest_exponent(Precision precision);
[[nodiscard]] double floor_in_subnormals(const TransformSpec& spec, double numbers);

/// Exponent e such that 2^-e * value is near 1; 0 for 0, NaN and infinity.
[[nodiscard]] inline int exponent_of(double value) {
  return value > 0 && std::isfinite(value) ? std::max(-1000, std::ilogb(value)) : 0;
}

}  // namespace shardfft
