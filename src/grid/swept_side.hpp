// One side of a transform as sweeps see it: the caller's array, with one axis as two and cyclic axes ordered by owner.
#pragma once

#include <optional>

#include "grid/axis_split.hpp"

namespace shardfft {

struct SweptSide {
  std::optional<AxisSplit> split{};
  Digits digits = Digits::before;  ///< with split
  Coord owners{};                  ///< of each of the caller's axes; 1: not cyclic

  [[nodiscard]] bool is_callers() const { return !split && owners == Coord::filled(owners.dims(), 1); }
  /// Owners along each axis of the swept array.
  [[nodiscard]] Coord owners_swept() const { return split ? owners_of(*split, digits, owners) : owners; }
  [[nodiscard]] Layout seen(const Layout& layout) const;
  /// `patches` of an array of extents `global`, ordered by `own` owners; `reads`: as in split().
  [[nodiscard]] std::vector<Patch> seen(const std::vector<Patch>& patches, const Shape& global, const Coord& own,
                                        bool reads) const;
};

}  // namespace shardfft
