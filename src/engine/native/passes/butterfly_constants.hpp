// The constants of butterflies, and how these are split into smaller ones.
#pragma once

#include <array>

#include "engine/native/roots.hpp"
#include "engine/native/step.hpp"

namespace shardfft::native {

/// exp(-2 pi i k / n), k < n, for each n up to the largest butterfly: each of them is asked for many times.
inline constexpr auto short_roots = [] {
  std::array<std::array<Root, max_own_radix>, max_own_radix + 1> roots{};
  for (int n = 1; n <= max_own_radix; ++n)
    for (int k = 0; k < n; ++k) roots[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)] = root_of_unity(k, n);
  return roots;
}();
constexpr const Root& short_root(int k, int n) {
  return short_roots[static_cast<std::size_t>(n)][static_cast<std::size_t>(k % n)];
}

/// The j for which sin(2 pi u j / p) is largest: its quotients with the others are at most 1.
constexpr int largest_sine(int p, int u) {
  int best = 1;
  const auto size = [&](int j) {
    const Fixed s = short_root(u * j, p).im;
    return s < 0 ? -s : s;
  };
  for (int j = 2; j <= p / 2; ++j)
    if (size(j) > size(best)) best = j;
  return best;
}

/// Smallest prime by which a butterfly is split into smaller ones: 2 for even ones, 3 for 9, else the radix itself.
constexpr int split_prime(int radix) { return radix % 2 == 0 ? 2 : radix % 3 == 0 ? 3 : radix; }

/// Whether a radix is a product of an odd prime and 2 or 4. Their parts are combined without constants.
constexpr bool splits_freely(int radix) { return radix == 6 || radix == 10 || radix == 12; }

/// The number of parts of a butterfly. Of 6 and 10 two are faster.
constexpr int part_count(int radix) { return radix == 12 ? 3 : split_prime(radix); }

/// Scalars of twiddles of a butterfly.
constexpr int twiddle_count(Index radix) { return static_cast<int>(2 * (radix - 1)); }

}  // namespace shardfft::native
