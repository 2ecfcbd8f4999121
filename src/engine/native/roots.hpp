// Roots of unity, exact to the last bits of long double, at compile time and at run time alike.
#pragma once

#include <array>
#include <cstddef>

#include "shardfft/box.hpp"

namespace shardfft::native {

struct Root {
  long double re = 1, im = 0;
};

inline constexpr long double pi = 3.14159265358979323846264338327950288L;

namespace detail {

/// 1 / (j (j + 1)): a product takes a quarter of the time of a division, and long plans need tens of thousands of
/// roots.
inline constexpr int terms = 28;
inline constexpr auto inverse_products = [] {
  std::array<long double, terms + 1> list{};
  for (int j = 1; j <= terms; ++j) list[static_cast<std::size_t>(j)] = 1 / (static_cast<long double>(j) * (j + 1));
  return list;
}();

/// Taylor series of sin and cos for 0 <= x <= pi/4; the first term left out is below 2^-113.
constexpr Root cos_sin(long double x) {
  const long double x2 = x * x;
  long double c = 1, s = 1;
  for (std::size_t j = terms; j > 0; j -= 2) {
    c = 1 - x2 * c * inverse_products[j - 1];
    s = 1 - x2 * s * inverse_products[j];
  }
  return {c, x * s};
}

}  // namespace detail

/// exp(-2 pi i k / n). The argument is reduced in integers to an eighth of a turn, so that symmetric roots are
/// symmetric to the bit. n < 2^60.
constexpr Root root_of_unity(Index k, Index n) {
  const Index eighths = 8 * ((k % n + n) % n);
  const Index octant = eighths / n;
  const Index rest = octant % 2 ? (octant + 1) * n - eighths : eighths - octant * n;
  auto [c, s] = detail::cos_sin(pi * static_cast<long double>(rest) / (4 * static_cast<long double>(n)));
  if (rest == n)
    s = c;  // at an eighth of a turn, where the series agree to the bit in some formats of long double only
  switch (octant) {
    case 0:
      return {c, -s};
    case 1:
      return {s, -c};
    case 2:
      return {-s, -c};
    case 3:
      return {-c, -s};
    case 4:
      return {-c, s};
    case 5:
      return {-s, c};
    case 6:
      return {s, c};
    default:
      return {c, s};
  }
}

}  // namespace shardfft::native
