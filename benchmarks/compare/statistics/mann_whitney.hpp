// Is one sample larger than another? The test that the regression gate asks.
#pragma once

#include <span>

namespace shardfft::compare {

struct MannWhitney {
  double u = 0;        ///< pairs (x, y) with x > y, ties count one half
  double p_value = 1;  ///< one-sided: that u is this large or larger when both samples come from one distribution
};

/// Mann-Whitney's U test, with ties, of whether `x` tends to be larger than `y`. Exact up to 60 values altogether: the
/// distribution of the rank sum over all ways of distributing the values that were seen, ties included. Beyond that
/// normal, with the corrections for ties and continuity.
///   errors  p_value 1 when a sample is empty
///   source  Mann and Whitney, Annals of Mathematical Statistics 18 (1947); exact counts by the shift algorithm of
///   Streitberg and Röhmel,
///           Statistical Software Newsletter 12 (1986); correction for ties as in Hollander, Wolfe and Chicken,
///           Nonparametric Statistical Methods, 4.1
[[nodiscard]] MannWhitney mann_whitney_greater(std::span<const double> x, std::span<const double> y);

}  // namespace shardfft::compare
