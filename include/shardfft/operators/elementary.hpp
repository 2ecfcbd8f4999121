// Elementary functions that have the same bits whatever the C library, the compiler and the processor.
#pragma once

namespace shardfft {

/// The double nearest to the value; beyond |x| = 2^40 only as good as the reduction by multiples of pi/2 to 2^-125.
/// NaN and Inf as the C library's.
[[nodiscard]] double nearest_sin(double x);
[[nodiscard]] double nearest_cos(double x);
/// The double nearest to the value, if it is normal.
[[nodiscard]] double nearest_exp(double x);

}  // namespace shardfft
