// Sizes and places in memory in whole lines and pages.
#pragma once

#include <type_traits>

namespace shardfft {

/// Bytes: of a line of caches, and what devices want buffers to begin at.
inline constexpr int cache_line = 64, device_line = 256;

/// The smallest multiple of `unit` that is at least `n`.
template <class N>
[[nodiscard]] constexpr N round_up(N n, std::type_identity_t<N> unit) {
  return (n + unit - 1) / unit * unit;
}

}  // namespace shardfft
