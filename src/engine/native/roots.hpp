// Roots of unity, exact to a few units of 2^-124, at compile time and at run time alike.
#pragma once

#include "shardfft/box.hpp"
#include "support/fixed.hpp"

namespace shardfft::native {

/// re + i im
struct Root {
  Fixed re = 1, im = 0;
  friend constexpr Root operator+(const Root& a, const Root& b) { return {a.re + b.re, a.im + b.im}; }
  friend constexpr Root operator-(const Root& a, const Root& b) { return {a.re - b.re, a.im - b.im}; }
  friend constexpr Root operator*(const Root& a, const Root& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend constexpr Root operator*(Fixed a, const Root& b) { return {a * b.re, a * b.im}; }
};
constexpr Root conj(const Root& a) { return {a.re, -a.im}; }

/// exp(-2 pi i by / of), 0 <= by < of < 2^124. The argument is reduced in integers to an eighth of a turn, so that
/// symmetric roots are symmetric to the bit.
constexpr Root root_of_turn(Fixed::Magnitude by, Fixed::Magnitude of) {
  const Fixed::Magnitude eighths = 8 * by, rest_below = eighths % of;
  const auto octant = static_cast<int>(eighths / of);
  const Fixed::Magnitude rest = octant % 2 != 0 ? of - rest_below : rest_below;
  auto [c, s] = cos_sin(Fixed::of_bits((Fixed::ratio(rest, of) * fixed_pi).bits() >> 2));
  if (rest == of) s = c;  // at an eighth of a turn, where the series may differ in the last bit
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
/// exp(-2 pi i k / n), n < 2^60.
constexpr Root root_of_unity(Index k, Index n) {
  return root_of_turn(static_cast<Fixed::Magnitude>((k % n + n) % n), static_cast<Fixed::Magnitude>(n));
}

}  // namespace shardfft::native
