// The constants of butterflies: those of their own, and how many twiddles each form has (twiddle_form.hpp).
//
// Fused: with the twiddles theta^j, parts of length s = R / p are evaluated at theta^p, all with the same constants,
// and combined at the points theta w^u, w = exp(-2 pi i / R): part c is multiplied by (theta w^u)^c within the
// additions. So a butterfly of 8 has the constants theta^4, theta^2, theta and theta w. Of radices that split freely,
// which need no other constants, inputs are multiplied as they are added in pairs. No constant exceeds 1, and no
// intermediate the results by more than a small factor.
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
    const long double s = short_root(u * j, p).im;
    return s < 0 ? -s : s;
  };
  for (int j = 2; j <= p / 2; ++j)
    if (size(j) > size(best)) best = j;
  return best;
}

/// Smallest prime by which a butterfly is split into smaller ones: 2 for even ones, 3 for 9, else the radix itself.
constexpr int split_prime(int radix) { return radix % 2 == 0 ? 2 : radix % 3 == 0 ? 3 : radix; }

/// The number of points with constants of their own, out of the radix/p points at which p parts are combined. Constants
/// of the other points differ by a factor of -i.
constexpr int combined_points(int radix) { return radix % 4 == 0 ? radix / 4 : radix / split_prime(radix); }

/// Whether a radix is a product of an odd prime and 2 or 4. Their parts are combined without constants.
constexpr bool splits_freely(int radix) { return radix == 6 || radix == 10 || radix == 12; }

/// The number of parts of a butterfly. Of 6 and 10 without twiddles two are faster; with twiddles, pairs are the parts.
constexpr int part_count(int radix, bool first) {
  if (!splits_freely(radix) || (first && radix != 12)) return split_prime(radix);
  return radix == 10 ? 5 : 3;
}

/// Complex constants of a fused butterfly, those of its parts first.
constexpr int fused_constants(int radix) {
  const int p = split_prime(radix);
  if (splits_freely(radix)) return radix - 1;
  return (radix > p ? fused_constants(radix / p) : 0) + combined_points(radix) * (p - 1);
}

/// Scalars in the table of a butterfly.
constexpr int constant_count(TwiddleForm form, int radix) {
  return 2 * (form == TwiddleForm::products ? radix - 1 : fused_constants(radix));
}

}  // namespace shardfft::native
