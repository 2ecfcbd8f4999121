#include "support/oracles/real_to_real.hpp"

#include <cmath>

#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

using Wide = long double;

/// cos and sin of `by` / `of` turns, with arguments of at most an eighth of one.
Wide cosine(Index by, Index of) {
  const auto f = [](Index a, Index b) { return std::cos(2 * long_pi * static_cast<Wide>(a) / static_cast<Wide>(b)); };
  const auto g = [](Index a, Index b) { return std::sin(2 * long_pi * static_cast<Wide>(a) / static_cast<Wide>(b)); };
  by %= of;
  if (2 * by > of) by = of - by;
  if (4 * by > of) return -cosine(of - 2 * by, 2 * of);
  return 8 * by <= of ? f(by, of) : g(of - 4 * by, 4 * of);
}
Wide sine(Index by, Index of) { return cosine(4 * by + 3 * of, 4 * of); }

}  // namespace

long double r2r_entry(Transform1d t, Index n, Index k, Index j) {
  using enum Transform1d;
  switch (t) {
    case cosine1:
      return (j == 0 || j == n - 1 ? 1 : 2) * cosine(j * k, 2 * (n - 1));
    case cosine2:
      return 2 * cosine((2 * j + 1) * k, 4 * n);
    case cosine3:
      return (j == 0 ? 1 : 2) * cosine(j * (2 * k + 1), 4 * n);
    case cosine4:
      return 2 * cosine((2 * j + 1) * (2 * k + 1), 8 * n);
    case sine1:
      return 2 * sine((j + 1) * (k + 1), 2 * (n + 1));
    case sine2:
      return 2 * sine((2 * j + 1) * (k + 1), 4 * n);
    case sine3:
      return (j == n - 1 ? 1 : 2) * sine((j + 1) * (2 * k + 1), 4 * n);
    case sine4:
      return 2 * sine((2 * j + 1) * (2 * k + 1), 8 * n);
    default:
      return cosine(j * k, n) + sine(j * k, n);
  }
}

long double orthonormal_entry(Transform1d t, Index n, Index k, Index j) {
  using enum Transform1d;
  const Wide root2 = std::sqrt(Wide{2});
  Wide entry = r2r_entry(t, n, k, j) / std::sqrt(static_cast<Wide>(logical_length(t, n)));
  const bool first_in = t == cosine1 || t == cosine3, first_out = t == cosine1 || t == cosine2;
  if ((first_in && j == 0) || (t == cosine1 && j == n - 1) || (t == sine3 && j == n - 1)) entry *= root2;
  if ((first_out && k == 0) || (t == cosine1 && k == n - 1) || (t == sine2 && k == n - 1)) entry /= root2;
  return entry;
}

}  // namespace shardfft::testing
