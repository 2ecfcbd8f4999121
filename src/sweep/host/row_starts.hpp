// Offsets of a target's rows within their cache lines. Tiles are cut where lines end.
#pragma once

#include "grid/patch.hpp"
#include "sweep/host/rows.hpp"
#include "sweep/pencils.hpp"

namespace shardfft {

/// Rows of 129 complex numbers begin 0, 16, 32 or 48 bytes after the start of a line. Tiles cut at multiples of their
/// pencils would then write two lines in part instead of whole ones past the cache; so the first tile of such a row is
/// shorter by what lies ahead of the row in its line.
class RowStarts {
 public:
  /// Rows begin where they like.
  RowStarts() = default;
  /// Rows of `walk` over `box` as they lie in `to`; its elements have `element` bytes. The patch outlives this.
  RowStarts(const Box& box, const Walk& walk, int pencils, const Patch& to, Index element);

  /// Elements between the start of a line and the first pencil of a row, at most.
  [[nodiscard]] Index most() const { return most_; }
  /// The offset of row number `row`.
  [[nodiscard]] Index of(Index row, const Box& box, const Walk& walk, const Bases& bases) const;

 private:
  const Patch* to_ = nullptr;
  Index element_ = 1, most_ = 0;
};

}  // namespace shardfft
