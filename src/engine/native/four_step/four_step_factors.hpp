// Into which two halves a long pencil is split. Arithmetic only.
#pragma once

#include <optional>

#include "engine/native/factors.hpp"

namespace shardfft::native {

/// n = first * second. Element second * a + b comes in, element c + first * d goes out, a, c < first, b, d < second.
struct FourStepFactors {
  Index first = 1, second = 1;
  [[nodiscard]] Index length() const { return first * second; }
};

/// Each half has at least so many elements: enough for two vectors of any machine's lanes.
inline constexpr Index least_factor = 32;

/// A way to transform a long pencil.
struct FourStepChoice {
  FourStepFactors halves{};
  double cost = 0;  ///< estimated vector operations per element, as in Decomposition
};

/// What a tile holds, of which all is computed: columns of the first half, lines of the second.
struct TileShape {
  Index lanes = 8;    ///< of the widest vectors
  bool real = false;  ///< only first/2 + 1 lines are kept
};

/// The cheapest balanced halves of n; none where there are not two of `least_factor` and more.
[[nodiscard]] std::optional<FourStepChoice> four_step_factors(Index n, const TileShape& shape);

/// FourStepFactors with small factors whose product is at least `least`: the cheapest, by what all of its elements
/// cost.
[[nodiscard]] FourStepChoice four_step_factors_at_least(Index least, const TileShape& shape);

}  // namespace shardfft::native
