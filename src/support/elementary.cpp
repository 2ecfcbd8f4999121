#include "shardfft/operators/elementary.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "support/fixed.hpp"

namespace shardfft {
namespace {

constexpr Fixed ln2 =
    Fixed::of_bits(static_cast<Fixed::Bits>(0x0B17217F7D1CF79A) << 64 | static_cast<Fixed::Bits>(0xBC9E3B39803F2F6A));
constexpr Fixed half_pi = Fixed::of_bits(fixed_pi.bits() / 2);

/// x = multiple * unit + rest, x >= 0 finite. Both products are taken modulo 16: only the rest need be in range.
struct Reduced {
  std::int64_t multiple = 0;
  Fixed rest{};
  Reduced(double x, Fixed unit) : multiple(std::llrint(x / static_cast<double>(unit))) {
    int exponent = 0;
    const auto mantissa = static_cast<Fixed::Magnitude>(std::ldexp(std::frexp(x, &exponent), 53));
    const int shift = exponent - 53 + Fixed::fraction_bits;
    const Fixed::Magnitude bits = shift >= 128  ? 0
                                  : shift >= 0  ? mantissa << shift
                                  : shift > -64 ? mantissa >> -shift
                                                : 0;
    rest = Fixed::of_bits(static_cast<Fixed::Bits>(bits - static_cast<Fixed::Magnitude>(multiple) *
                                                              static_cast<Fixed::Magnitude>(unit.bits())));
  }
};

/// sin(x + quarters pi/2)
double turned_sin(double x, int quarters) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  constexpr double longest = 0x1p60;
  if (std::abs(x) >= longest) x = std::remainder(x, 2 * static_cast<double>(fixed_pi));
  if (std::abs(x) < 0x1p-26 && quarters == 0) return x - x * x * x / 6;
  const Reduced r(std::abs(x), half_pi);
  const auto [c, s] = cos_sin(r.rest);
  const std::int64_t turns = (std::signbit(x) ? -r.multiple : r.multiple) + quarters;
  const Fixed sine = std::signbit(x) ? -s : s, value = turns % 2 == 0 ? sine : c;
  return static_cast<double>((turns & 2) == 0 ? value : -value);
}

}  // namespace

double nearest_sin(double x) { return turned_sin(x, 0); }
double nearest_cos(double x) { return turned_sin(x, 1); }

double nearest_exp(double x) {
  if (std::isnan(x)) return x;
  constexpr double beyond = 746;
  if (std::abs(x) > beyond) return x > 0 ? std::numeric_limits<double>::infinity() : 0;
  const Reduced r(std::abs(x), ln2);
  const auto exponent = static_cast<int>(x < 0 ? -r.multiple : r.multiple);
  return std::ldexp(static_cast<double>(exp_of_small(x < 0 ? -r.rest : r.rest)), exponent);
}

}  // namespace shardfft
