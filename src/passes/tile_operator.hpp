// An operator for the whole array, in tiles.
#pragma once

#include <functional>
#include <memory>

#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::files {

/// Changes modes of a first spectrum; as many of the second one lie from `second` on, modes.step apart, of the same
/// type.
using TwoSpectra = std::function<void(const Modes& modes, const std::byte* second)>;

/// A tile of the second spectrum, in C order.
struct SecondTile {
  Box box{};
  const std::byte* elements = nullptr;
};

class TileOperator {
 public:
  TileOperator() = default;
  /// `whole`: a plan of the whole array, of one rank; it is not kept. Throws Error(unsupported) for operators of
  /// several components.
  TileOperator(const Plan& whole, Operator f);
  TileOperator(const Plan& whole, TwoSpectra f);
  /// For the same arrays.
  [[nodiscard]] TileOperator with(TwoSpectra f) const;
  /// For a plan of a tile that begins at `first` of the whole spectrum: the operator sees modes of the whole array.
  [[nodiscard]] Operator of_tile(const Coord& first, const SecondTile& second = {}) const;

 private:
  struct Whole;
  std::shared_ptr<const Whole> whole_{};
};

}  // namespace shardfft::files
