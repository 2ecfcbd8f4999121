// What both ways of checking need to know about a TransformSpec.
#pragma once

#include <algorithm>
#include <cmath>

#include "support/end_weights.hpp"
#include "support/kept_modes.hpp"
#include "verify/contract.hpp"

namespace shardfft {

[[nodiscard]] inline bool is_transformed(const TransformSpec& spec, int axis) {
  return std::find(spec.axes.begin(), spec.axes.end(), axis) != spec.axes.end();
}
/// Fourier where it is not transformed.
[[nodiscard]] inline AxisKind kind_of(const TransformSpec& spec, int axis) {
  const auto at = static_cast<std::size_t>(std::find(spec.axes.begin(), spec.axes.end(), axis) - spec.axes.begin());
  return at < spec.kinds.size() ? spec.kinds[at] : AxisKind::fourier;
}
/// The last fourier axis.
[[nodiscard]] inline bool is_real_axis(const TransformSpec& spec, int axis) {
  if (!spec.real) return false;
  const auto last =
      std::find_if(spec.axes.rbegin(), spec.axes.rend(), [&](int a) { return kind_of(spec, a) == AxisKind::fourier; });
  return last != spec.axes.rend() && *last == axis;
}
/// Real in, half spectrum out.
[[nodiscard]] inline bool is_r2c(const TransformSpec& spec, const LocalArray& in) { return spec.real && !in.complex; }
/// Half spectrum in, real out.
[[nodiscard]] inline bool is_c2r(const TransformSpec& spec, const LocalArray& in) { return spec.real && in.complex; }

/// Whether the transform takes points to modes; else modes to points.
[[nodiscard]] inline bool is_analysis(const TransformSpec& spec) { return spec.sign < 0; }
/// What the spectrum has of an axis.
[[nodiscard]] inline KeptModes modes_of(const TransformSpec& spec, int axis) {
  const Index n = spec.shape[axis], modes = spec.modes.dims() > 0 && spec.modes[axis] > 0 ? spec.modes[axis] : n;
  return {
      .n = n, .modes = modes, .half = is_real_axis(spec, axis), .periodic = kind_of(spec, axis) == AxisKind::fourier};
}
[[nodiscard]] inline bool is_pruned(const TransformSpec& spec, int axis) {
  const bool all_points = spec.support.dims() == 0 || spec.support[axis] == 0 || spec.support[axis] == spec.shape[axis];
  return !all_points || !modes_of(spec, axis).are_all();
}
[[nodiscard]] inline bool is_pruned(const TransformSpec& spec) {
  return std::any_of(spec.axes.begin(), spec.axes.end(), [&](int axis) { return is_pruned(spec, axis); });
}

/// How often element k of a half spectrum occurs in the whole spectrum of n: 1 for k = 0 and k = n/2, else 2.
[[nodiscard]] inline double multiplicity(Index k, Index n) { return k == 0 || 2 * k == n ? 1.0 : 2.0; }

/// By what a transform and its inverse multiply.
[[nodiscard]] inline double transform_size(const TransformSpec& spec) {
  double size = 1;
  for (const int a : spec.axes) size *= static_cast<double>(logical_length(kind_of(spec, a), spec.shape[a]));
  return size;
}
/// The range for all axes together.
[[nodiscard]] inline NormRange norm_range(const TransformSpec& spec) {
  NormRange all;
  for (const int a : spec.axes) {
    const NormRange one = spec.orthonormal ? NormRange{} : norm_range(kind_of(spec, a));
    all.least *= one.least, all.most *= one.most;
  }
  return all;
}

/// Exponent of the smallest subnormal, and exact_floor() in units of it.
[[nodiscard]] int smallest_exponent(Precision precision);
[[nodiscard]] double floor_in_subnormals(const TransformSpec& spec, double numbers);

/// Exponent e such that 2^-e * value is near 1; 0 for 0, NaN and infinity.
[[nodiscard]] inline int exponent_of(double value) {
  return value > 0 && std::isfinite(value) ? std::max(-1000, std::ilogb(value)) : 0;
}

}  // namespace shardfft
