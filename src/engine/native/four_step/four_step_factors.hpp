// The two factors into which a long pencil is split. Arithmetic only.
#pragma once

#include <optional>

#include "engine/native/factors.hpp"

namespace shardfft::native {

/// n = first * second. Element second * a + b comes in, element c + first * d goes out, a, c < first, b, d < second.
struct FourStepFactors {
  Index first = 1, second = 1;
  [[nodiscard]] Index length() const { return first * second; }
};

/// Each factor is at least this: enough for two vectors of any machine's lanes.
inline constexpr Index least_factor = 32;

/// Two factors and what they cost.
struct FourStepChoice {
  FourStepFactors halves{};
  double cost = 0;  ///< estimated vector operations per element, as in Decomposition
};

/// What a tile holds, of which all is computed: columns of the first factor, lines of the second.
struct TileShape {
  Index lanes = 8;    ///< of the widest vectors
  bool real = false;  ///< only first/2 + 1 lines are kept
};

/// The cheapest balanced factors of n; none if n has no two of `least_factor` or more.
[[nodiscard]] std::optional<FourStepChoice> four_step_factors(Index n, const TileShape& shape);

/// The cheapest factors whose product is at least `least`, by what all elements of that product cost. Both have small
/// prime factors only.
[[nodiscard]] FourStepChoice four_step_factors_at_least(Index least, const TileShape& shape);

}  // namespace shardfft::native
