// Boxes that lie in memory in any way.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "support/problems/layouts.hpp"

namespace shardfft::testing {

/// Strides of a box in a random order of axes, with random gaps; the bytes that it takes.
inline Coord random_strides(std::mt19937_64& random, const Shape& shape, Index element, Index& bytes) {
  std::vector<int> order(static_cast<std::size_t>(shape.dims()));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  Coord strides = Coord::filled(shape.dims(), 0);
  bytes = element * pick(random, 1, 2);
  for (const int axis : order) {
    strides[axis] = bytes;
    bytes *= shape[axis] + (pick(random, 0, 2) == 0 ? pick(random, 1, 3) : 0);
  }
  return strides;
}

inline Index offset_of(const Coord& at, const Coord& strides) {
  Index offset = 0;
  for (int a = 0; a < at.dims(); ++a) offset += at[a] * strides[a];
  return offset;
}

}  // namespace shardfft::testing
