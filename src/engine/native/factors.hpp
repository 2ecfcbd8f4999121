// How a length is computed: into which radices it is split, or that it goes through a convolution. Arithmetic only.
#pragma once

#include <string>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft::native {

enum class Method {
  passes,     ///< radices of n itself
  rader,      ///< n prime: a cyclic convolution of length n - 1
  bluestein,  ///< a cyclic convolution of a length >= 2n - 1
};

/// A way to transform `n` elements.
struct Decomposition {
  Index n = 1;
  Method method = Method::passes;
  Index inner = 1;             ///< length of the passes: n, n - 1, or that of Bluestein's convolution
  std::vector<int> radices{};  ///< of `inner`, in the order of the passes
  double cost = 0;             ///< estimated vector operations for the whole tile

  /// "8x4x8", "rader 196 = 7x4x7", "bluestein 400 = 10x4x10", "1" for nothing to do.
  [[nodiscard]] std::string describe() const;
};

/// The cheapest way by estimate; the same on every machine. n >= 1.
[[nodiscard]] Decomposition decompose(Index n);

/// The passes alone; empty when n has a prime factor above max_radix. The cost is infinite then.
[[nodiscard]] Decomposition decompose_directly(Index n);

[[nodiscard]] bool is_prime(Index n);

}  // namespace shardfft::native
