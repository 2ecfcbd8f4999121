// A box cut at the global multiples of a step along each axis.
#pragma once

#include "shardfft/box.hpp"

namespace shardfft {

/// Numbered from 0 in row-major order. Two ranks that cut the same box, or boxes that meet, with the same steps cut the
/// common part alike.
class Cells {
 public:
  /// `steps`: elements along each axis, at least 1; a step of the global extent or more does not cut.
  Cells(const Box& box, const Coord& steps);

  [[nodiscard]] Index count() const { return total_; }   ///< 0 for an empty box
  [[nodiscard]] Box cell(Index number) const;            ///< clipped to the box
  [[nodiscard]] Index number_of(const Coord& at) const;  ///< of the cell that holds an element of the box
  /// Extents that no cell exceeds.
  [[nodiscard]] Shape largest() const;

 private:
  Box box_;
  Coord steps_, first_, counts_;  ///< along each axis: number of the first global cell, and how many there are
  Index total_ = 0;
};

}  // namespace shardfft
