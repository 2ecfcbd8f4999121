// How large numbers are.
#pragma once

#include <cstddef>

#include "shardfft/box.hpp"
#include "support/scalar.hpp"

namespace shardfft {

/// Sum of the squares of n numbers, f32 or f64, in a row.
[[nodiscard]] double sum_of_squares(Scalar scalar, const std::byte* line, Index n);
/// Sum of squares of a box of elements, read in memory order; strides in bytes.
[[nodiscard]] double sum_of_squares(Scalar scalar, bool complex, const std::byte* data, Coord strides, Shape shape);

}  // namespace shardfft
