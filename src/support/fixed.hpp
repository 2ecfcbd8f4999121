// Numbers between -8 and 8 in units of 2^-124. Tables are computed in them and rounded once, so that they have the same
// bits whatever the compiler, the C library and the processor.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace shardfft {

class Fixed {
 public:
  using Bits = __int128;
  using Magnitude = unsigned __int128;
  static constexpr int fraction_bits = 124;

  constexpr Fixed() = default;
  constexpr Fixed(double x) : bits_(static_cast<Bits>(x * 0x1p124)) {}  ///< |x| < 8; exact for multiples of 2^-124
  /// a / b, rounded down; a < 8 b, 0 < b < 2^127.
  static constexpr Fixed ratio(Magnitude a, Magnitude b) {
    const auto high = static_cast<std::uint64_t>(b >> 64);
    const int room = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(b));
    Magnitude quotient = a / b;
    a %= b;
    for (int left = fraction_bits; left > 0; left -= room) {
      const int step = left < room ? left : room;
      quotient = quotient << step | (a << step) / b;
      a = (a << step) % b;
    }
    return of_bits(static_cast<Bits>(quotient));
  }
  static constexpr Fixed of_bits(Bits bits) {
    Fixed x;
    x.bits_ = bits;
    return x;
  }

  [[nodiscard]] constexpr Bits bits() const { return bits_; }
  /// The nearest number, if it is normal.
  template <std::floating_point T>
  explicit constexpr operator T() const {
    return static_cast<T>(bits_) * static_cast<T>(0x1p-124);
  }

  constexpr Fixed operator-() const { return of_bits(-bits_); }
  friend constexpr Fixed operator+(Fixed a, Fixed b) { return of_bits(a.bits_ + b.bits_); }
  friend constexpr Fixed operator-(Fixed a, Fixed b) { return of_bits(a.bits_ - b.bits_); }
  /// The nearest multiple of the unit.
  friend constexpr Fixed operator*(Fixed a, Fixed b) {
    const Magnitude x = a.magnitude(), y = b.magnitude();
    const Magnitude x_high = x >> 64, x_low = static_cast<std::uint64_t>(x), y_high = y >> 64,
                    y_low = static_cast<std::uint64_t>(y);
    const Magnitude crossed = x_high * y_low + x_low * y_high + (x_low * y_low >> 64) + (Magnitude{1} << 59);
    const auto product = static_cast<Bits>((x_high * y_high << 4) + (crossed >> 60));
    return of_bits((a.bits_ < 0) != (b.bits_ < 0) ? -product : product);
  }
  friend constexpr Fixed operator/(Fixed a, Fixed b) {
    const Fixed quotient = ratio(a.magnitude(), b.magnitude());
    return (a.bits_ < 0) != (b.bits_ < 0) ? -quotient : quotient;
  }
  friend constexpr auto operator<=>(const Fixed&, const Fixed&) = default;

 private:
  [[nodiscard]] constexpr Magnitude magnitude() const { return static_cast<Magnitude>(bits_ < 0 ? -bits_ : bits_); }

  Bits bits_ = 0;
};

inline constexpr Fixed fixed_pi =
    Fixed::of_bits(static_cast<Fixed::Bits>(0x3243F6A8885A308D) << 64 | static_cast<Fixed::Bits>(0x313198A2E0370734));

struct CosSin {
  Fixed cos = 1, sin = 0;
};
/// Taylor series for |x| <= pi/4; the first term left out is below 2^-124.
constexpr CosSin cos_sin(Fixed x) {
  constexpr int terms = 32;
  // 1 / (j (j + 1)): a product takes a quarter of the time of a division, and long plans need tens of thousands of them
  constexpr auto inverse_products = [] {
    std::array<Fixed, terms + 1> list{};
    for (unsigned j = 1; j <= terms; ++j) list[j] = Fixed::ratio(1, j * (j + 1));
    return list;
  }();
  const Fixed x2 = x * x;
  Fixed c = 1, s = 1;
  for (std::size_t j = terms; j > 0; j -= 2) {
    c = Fixed(1) - x2 * c * inverse_products[j - 1];
    s = Fixed(1) - x2 * s * inverse_products[j];
  }
  return {c, x * s};
}

/// exp(x) for |x| <= 0.36; the first term left out is below 2^-124.
constexpr Fixed exp_of_small(Fixed x) {
  Fixed sum = 1;
  for (unsigned k = 27; k > 0; --k) sum = Fixed(1) + x * sum * Fixed::ratio(1, k);
  return sum;
}

}  // namespace shardfft
