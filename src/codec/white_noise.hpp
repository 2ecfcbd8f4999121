// What codecs need for numbers without any structure: independent, normally distributed.
#pragma once

#include <algorithm>
#include <cmath>

namespace shardfft {

/// Probability that all of so many normal numbers of standard deviation 1 are smaller than x.
[[nodiscard]] inline double all_below(double x, int numbers) {
  return x <= 0 ? 0 : std::pow(std::erf(x / std::sqrt(2.0)), numbers);
}

/// Mean number of bits of the integers of a block when the step is so many standard deviations: sum over w of P(width >
/// w).
[[nodiscard]] inline double mean_width(double step, int block_values, int most) {
  double mean = 0;
  for (int w = 0; w < most; ++w)
    mean += 1 - all_below((std::ldexp(1.0, std::max(w - 1, 0)) - 0.5) * step, block_values);
  return mean;
}

}  // namespace shardfft
