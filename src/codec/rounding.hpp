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
[[nodiscard]] inline bool is_sound(const GroupBudget& group_budget) {
  return std::isfinite(group_budget.norm) && group_budget.norm >= 0 && group_budget.error >= 0 &&
         group_budget.values >= 0;  // comparisons with NaN are false
}

[[nodiscard]] inline double root_of_values(const GroupBudget& group_budget) {
  return std::sqrt(static_cast<double>(std::max<Index>(group_budget.values, 1)));
}

/// unit of Blocks, kept to where it and its inverse are normal numbers.
[[nodiscard]] inline double safe_unit(double unit) { return std::clamp(unit, 0x1p-1000, 0x1p1000); }

}  // namespace shardfft
