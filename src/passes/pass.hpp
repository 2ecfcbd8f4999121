// A transform of a file in several passes: which tiles a pass has, and how the array lies between two of them. Index
// arithmetic only.
#pragma once

#include <vector>

#include "shardfft/box.hpp"

namespace shardfft::files {

/// What a pass does with a tile; apply: forward, an operator, backward.
enum class Work { forward, backward, apply };

/// One pass over the array: some axes are transformed, tile after tile. A tile is whole along them.
struct Pass {
  Work work = Work::forward;
  std::vector<int> axes{};  ///< in the order in which they are transformed
  Shape in{}, out{};        ///< extents of the array before and after
  bool complex_in = true, complex_out = true;
  bool in_place = false;  ///< a tile is transformed where it was read to
  bool meets = false;     ///< reads the second array, too, and transforms it forward
  Coord parts{};          ///< tiles along each axis, as even as possible; 1 along `axes`
  Coord grain{};          ///< extents of tiles are multiples of it, but for the last ones; empty: 1

  /// First element of part `i` along an axis of `n` elements, of which the first parts have most.
  [[nodiscard]] Index start_of_part(int axis, Index n, Index i) const;

  [[nodiscard]] bool does(int axis) const;
  [[nodiscard]] Index tiles() const { return product(parts); }
  /// Before and after; the first is the largest, the last the smallest.
  [[nodiscard]] Box tile_in(Index tile) const;
  [[nodiscard]] Box tile_out(Index tile) const;
};

/// The array between two passes, in cells: each lies in one piece, and is part of one tile of either pass.
class Cells {
 public:
  Cells(const Pass& before, const Pass& after);

  struct Cell {
    Box box{};
    Index number = 0;  ///< cells before it
    Index start = 0;   ///< elements before it
  };
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] Index count() const;
  /// Those of a tile of either pass.
  [[nodiscard]] std::vector<Cell> within(const Box& tile) const;
  /// First byte of each, dealt to as many files as there are `ends`, at multiples of `alignment`. `ends`: bytes of the
  /// files.
  [[nodiscard]] std::vector<Index> aligned_starts(Index element_bytes, Index alignment, std::vector<Index>& ends) const;

 private:
  using Place = std::vector<std::size_t>;  // of a cell, along each axis
  [[nodiscard]] Cell at(const Place& place) const;
  [[nodiscard]] Place place_of(const Coord& first) const;
  [[nodiscard]] bool advance(Place& place, const Place& first, const Coord& end) const;

  Shape shape_;
  std::vector<std::vector<Index>> lines_;  ///< where they are cut, of each axis; both ends included
};

}  // namespace shardfft::files
