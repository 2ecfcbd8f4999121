// A random number of a range.
#pragma once

#include <cstdint>
#include <random>

#include "shardfft/box.hpp"

namespace shardfft::testing {

using Random = std::mt19937_64;

/// Both ends are possible. The same on every standard library.
inline Index between(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}

}  // namespace shardfft::testing
