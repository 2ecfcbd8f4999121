// How a box is cut into tiles of pencils.
#pragma once

#include "sweep/pencils.hpp"

namespace shardfft {

/// How a walk cuts a box into tiles of at most `pencils` pencils. In a row that begins `ahead` pencils after the start
/// of a cache line, 0 to `most_ahead`, the first tile is shorter by so many, and the last one may be empty. With `full`
/// (rows hold a tile at least, and nothing is ahead) the last tile of a row begins early enough to be full: some
/// pencils are in two tiles then.
class Tiling {
 public:
  Tiling(const Box& box, const Walk& walk, int pencils, Index most_ahead = 0, bool full = false);
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index row(Index tile) const { return tile / tiles_per_row_; }
  [[nodiscard]] Index first(Index tile, Index ahead = 0) const;  ///< number of its first pencil
  [[nodiscard]] Index size(Index tile, Index ahead = 0) const;   ///< how many pencils

 private:
  /// Its first pencil, counted from the start of the row.
  [[nodiscard]] Index start(Index tile_in_row, Index ahead) const;

  Index pencils_, total_, row_, tiles_per_row_ = 0, count_ = 0;
  bool full_;
};

/// Pencils first .. first + count - 1 of a box as `walk` counts them; there may be none.
struct TileOf {
  const Box* box = nullptr;
  const Walk* walk = nullptr;
  Index first = 0, count = 0;
  /// The box over fewer axes that the tile is stored to, if not over those it is read from. Its pencils have the same
  /// numbers there.
  const WalkedBox* stored = nullptr;
};

}  // namespace shardfft
