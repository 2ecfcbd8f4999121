// One axis of n elements cut over p processes: the first n mod p own one element more.
#pragma once

#include "shardfft/box.hpp"

namespace shardfft::blocks {

[[nodiscard]] constexpr Index begin(Index n, Index p, Index i) {
  const Index extra = n % p;
  return i * (n / p) + (i < extra ? i : extra);
}

/// Elements of block i.
[[nodiscard]] constexpr Index size(Index n, Index p, Index i) { return n / p + (i < n % p ? 1 : 0); }

/// Blocks of `size` elements that n elements fill, the last one perhaps in part.
[[nodiscard]] constexpr Index count(Index n, Index size) { return n / size + (n % size > 0 ? 1 : 0); }

/// Which block holds element `at` (0 <= at < n).
[[nodiscard]] constexpr Index owner(Index n, Index p, Index at) {
  const Index size = n / p, extra = n % p, in_large = extra * (size + 1);
  return at < in_large ? at / (size + 1) : extra + (at - in_large) / size;
}

}  // namespace shardfft::blocks
