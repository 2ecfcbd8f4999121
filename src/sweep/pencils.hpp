// The order in which a box is cut into tiles of pencils.
#pragma once

#include "grid/patch.hpp"
#include "shardfft/box.hpp"

namespace shardfft {

/// How one transform of a sweep walks over a box: pencils along `axis`, neighbours in a tile along `lane`, all other
/// axes outside.
struct Walk {
  int axis = -1;
  int lane = -1;        ///< -1 when the box has only the one axis
  bool across = false;  ///< a tile may go on in the next row, because rows are short
};

/// Chooses the lane axis: the one that is contiguous in memory, if it fills tiles well. `past_cache`: bytes of an
/// element if stores bypass the cache, else 0. Then tiles of rows that begin with cache lines keep to their row, even
/// with empty lanes. A tile that continued in the next row would begin within a line, and partial lines are several
/// times as slow to store.
[[nodiscard]] Walk choose_walk(const Box& box, int axis, int pencils, const Coord& from_strides,
                               const Coord& to_strides, Index past_cache = 0);

/// Neighbours along `lane`, if there is one.
[[nodiscard]] Walk walk_along(const Box& box, int axis, int lane, int pencils);

/// A box and how its pencils are counted.
struct WalkedBox {
  Box box{};
  Walk walk{};
};

/// Pencils of a box as a walk counts them.
[[nodiscard]] Index pencil_count(const Box& box, const Walk& walk);

/// Position in the box (axis coordinate = box.lo) of pencil number `p`; also how many pencils follow in its row, itself
/// included.
struct PencilAt {
  Coord at{};
  Index left_in_row = 1;
};
[[nodiscard]] PencilAt pencil_at(const Box& box, const Walk& walk, Index p);

}  // namespace shardfft
