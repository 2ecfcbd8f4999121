// An operator for the whole array, in tiles.
#pragma once

#include <memory>

#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::files {

class TileOperator {
 public:
  TileOperator() = default;
  /// `whole`: a plan of the whole array, of one rank; it is not kept. Throws Error(unsupported) for operators of
  /// several components.
  TileOperator(const Plan& whole, Operator f);
  /// For a plan of a tile that begins at `first` of the whole spectrum: the operator sees modes of the whole array.
  [[nodiscard]] Operator of_tile(const Coord& first) const;

 private:
  struct Whole;
  std::shared_ptr<const Whole> whole_{};
};

}  // namespace shardfft::files
