// Boxes change their place and their memory order, or are added to others.
#pragma once

#include <cstddef>

#include "shardfft/box.hpp"

namespace shardfft {

/// Copies a box element by element from one place to another. Strides in bytes; the two places do not overlap.
/// `non_temporal`: the target will not be read soon, so long contiguous rows, and rows of one or two whole cache lines,
/// bypass the cache (the caller fences, see tile_moves.hpp).
void copy_box(const std::byte* from, const Coord& from_strides, std::byte* to, const Coord& to_strides,
              const Shape& shape, Index element_bytes, bool non_temporal = false);

/// Copies complex elements of two numbers of `number_bytes` each, and conjugates them. Strides of one side may be
/// negative.
void copy_conjugates(const std::byte* from, const Coord& from_strides, std::byte* to, const Coord& to_strides,
                     const Shape& shape, Index number_bytes);

/// Adds the elements of one box to those of another: real or complex numbers of `number_bytes` each, 4 or 8.
void add_box(const std::byte* from, const Coord& from_strides, std::byte* to, const Coord& to_strides,
             const Shape& shape, Index element_bytes, Index number_bytes);

}  // namespace shardfft
