// How large numbers are that are in cache.
#pragma once

#include <cstddef>

#include "shardfft/box.hpp"
#include "support/scalar.hpp"

namespace shardfft {

/// Sum of the squares of n numbers, f32 or f64, in a row.
[[nodiscard]] double sum_of_squares(Scalar scalar, const std::byte* line, Index n);
/// Of a box of elements; strides in bytes.
[[nodiscard]] double sum_of_squares(Scalar scalar, bool complex, const std::byte* data, const Coord& strides, const Shape& shape);

}  // namespace shardfft
