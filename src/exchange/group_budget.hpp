// What a group may lose, and what is tried in turn so that it loses no more; the same on hosts and devices.
#pragma once

#include "exchange/encoder.hpp"

namespace shardfft {

/// Squares of norms in which squares of what is lost neither overflow nor vanish.
struct UsualNorms {
  double above, below;
};
[[nodiscard]] inline UsualNorms usual_norm2(Scalar scalar) {
  return scalar == Scalar::f64 ? UsualNorms{1e-240, 1e240} : UsualNorms{1e-56, 1e70};
}
/// False for NaN.
[[nodiscard]] inline bool is_usual(double norm2, Scalar scalar) {
  return norm2 > usual_norm2(scalar).above && norm2 < usual_norm2(scalar).below;
}

/// The budget of a group of `values` real numbers. `of_whole` counts the encoded numbers of what has a share: a unit,
/// or with Basis::group the group. `norm2` is its sum of squares. Basis::given ignores both.
[[nodiscard]] GroupBudget group_budget_of(const ErrorBudget& terms, Scalar scalar, Index values, Index of_whole,
                                          double norm2);

/// Attempts to encode a group. The first parameter suits usual data, the second any data. If neither keeps the bound,
/// or nothing may be lost, the data are sent unencoded.
struct EncodeAttempts {
  double parameter[2];  ///< NaN: not to be tried
  double allowed2;      ///< of what is lost, for both
};
/// `stored`: real numbers of the group with those that fill up its blocks.
[[nodiscard]] EncodeAttempts encode_attempts(const ErrorBudget& terms, Scalar scalar, const Codec& codec,
                                             const GroupBudget& wanted, Index stored);

}  // namespace shardfft
