// An axis whose length has no two factors, such as a prime one, as rows that ranks can share: Bluestein's algorithm
// with a convolution of two dimensions.
//
// With 2 j k = j^2 + k^2 - (k - j)^2 and the chirp c(j) = exp(-i pi j^2 / n),
//   X[k] = c(k) sum_j x[j] c(j) / c(k - j).
// The index has two digits, j = row * j_row + j_in. So the sum is a linear convolution along both digits, and a cyclic
// one of `tall` x `wide` elements, tall >= 2 rows - 1 and wide >= 2 row - 1, holds it. Rows are whole in memory before
// and after it; between the two axes the array changes owners. The last row is filled with zeros.
#pragma once

#include "grid/axis_split.hpp"

namespace shardfft {

struct ChirpedAxis {
  int axis = 0;
  Index n = 1;
  Index rows = 1, row = 1;   ///< of the caller's elements: n <= rows * row
  Index tall = 1, wide = 1;  ///< extents of the convolution
  friend bool operator==(const ChirpedAxis&, const ChirpedAxis&) = default;

  /// How the array that is swept counts the caller's elements, before the transform and after it.
  [[nodiscard]] AxisSplit halves() const { return {.axis = axis, .slow = rows, .fast = row}; }
};

}  // namespace shardfft
