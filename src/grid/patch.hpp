// A box of the global array and its place in memory: the seam between sweeps and exchanges.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

/// What a patch's address counts from; known when the plan is built, except for the caller's two buffers and the
/// thread's plane.
enum class Base { fixed, input, output, plane };

/// A box and its memory. The element at box.lo is `offset` bytes after the base (`fixed`: at `address`); strides in
/// bytes, one per axis. They are positive, but where elements lie there `conjugated`, as in the upper half of a
/// hermitian spectrum (grid/axis_split.hpp): of the caller's array, in exact mode.
struct Patch {
  Box box{};
  Base base = Base::fixed;
  std::byte* address = nullptr;
  Index offset = 0;
  Coord strides{};
  bool conjugated = false;
};

/// From the element at `from` to the one at `to`, in the unit of the strides.
[[nodiscard]] inline Index offset_between(const Coord& from, const Coord& to, const Coord& strides) {
  Index sum = 0;
  for (int a = 0; a < to.dims(); ++a) sum += (to[a] - from[a]) * strides[a];
  return sum;
}

/// Bytes from one index to the next along each axis when a box of this shape lies without gaps; `order` slowest first.
/// With `padded`, rows of 512 bytes and more start on cache lines, and neither rows nor planes keep the power-of-two
/// distances that make a column fall into one cache set.
[[nodiscard]] Coord packed_strides(const Shape& shape, const std::vector<int>& order, Index element_bytes, bool padded);
/// Bytes that a box of this shape takes with these strides, up to and including its last element; 0 for an empty box.
[[nodiscard]] Index packed_bytes(const Shape& shape, const Coord& strides, Index element_bytes);

}  // namespace shardfft
