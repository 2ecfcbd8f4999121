// How a length is computed: into which radices it is split, or that it goes through a convolution. Arithmetic only.
#pragma once

#include <string>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft::native {

/// A way to transform `n` elements.
struct Decomposition {
  Index n = 1;
  std::vector<int> radices{};  ///< in the order of the passes; of `padded` when that is not 0, else of n
  Index padded = 0;            ///< Bluestein: length of the convolution, >= 2n - 1; 0 without
  double cost = 0;             ///< estimated vector operations for the whole tile

  /// "8x8x4", "bluestein 400 = 10x8x5", "1" for nothing to do.
  [[nodiscard]] std::string describe() const;
};

/// The cheapest way by estimate; the same on every machine. n >= 1.
[[nodiscard]] Decomposition decompose(Index n);

/// The passes alone; empty when n has a prime factor above max_radix. The cost is infinite then.
[[nodiscard]] Decomposition decompose_directly(Index n);

}  // namespace shardfft::native
