// What the codecs' bounds are made from.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "codec/codec.hpp"

namespace shardfft {

inline constexpr double refused = std::numeric_limits<double>::quiet_NaN();

/// Largest relative error of rounding to nearest (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
/// Theorem 2.2).
[[nodiscard]] inline double unit_roundoff(Scalar scalar) { return scalar == Scalar::f32 ? 0x1p-24 : 0x1p-53; }

/// False for an allowance that no codec can keep, whatever it does: the norm is not a number that bounds anything.
[[nodiscard]] inline bool is_sound(const Allowance& allowance) {
  return std::isfinite(allowance.norm) && allowance.norm >= 0 && allowance.error >= 0 &&
         allowance.values >= 0;  // comparisons with NaN are false
}

[[nodiscard]] inline double root_of_values(const Allowance& allowance) {
  return std::sqrt(static_cast<double>(std::max<Index>(allowance.values, 1)));
}

/// unit of Blocks, kept to where it and its inverse are normal numbers.
[[nodiscard]] inline double safe_unit(double unit) { return std::clamp(unit, 0x1p-1000, 0x1p1000); }

}  // namespace shardfft
