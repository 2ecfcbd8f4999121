// The chirp and its transform as tables, for pencils that are short enough for a cache to hold these.
#pragma once

#include "engine/native/four_step/line_factors.hpp"

namespace shardfft::native {

/// exp(-i pi k^2 / n) for k < n, re, im pairs, and zeros behind them for two vectors of 64 bytes.
template <class T>
[[nodiscard]] Scalars<T> chirp_factors(Index n);

/// The transform of exp(+i pi k^2 / n), -n < k < n, wrapped around to the length of the halves (at least 2n - 1) and
/// divided by it. For each group of lines of the matrix and each of their elements: all lanes' real parts, then all
/// lanes' imaginary parts.
template <class T>
[[nodiscard]] Scalars<T> chirp_spectrum(Index n, const FourStepFactors& halves, Index lanes);

}  // namespace shardfft::native
