// Numbers of about 106 bits: the unevaluated sum of two doubles. Everything that judges a result is computed in them.
// Source: Dekker, A floating-point technique for extending the available precision (1971); Joldes, Muller, Popescu,
// Tight and rigorous error bounds for basic building blocks of double-word arithmetic (2017), algorithms 6, 12 and 17.
// Relative error of each operation below 2^-102.
#pragma once

#include <cmath>
#include <cstdint>

namespace shardfft {

/// hi + lo, with hi = the double nearest to the sum.
struct DoubleDouble {
  double hi = 0, lo = 0;

  DoubleDouble() = default;
  constexpr DoubleDouble(double h, double l = 0) : hi(h), lo(l) {}
  [[nodiscard]] double rounded() const { return hi + lo; }
};

/// a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
  const double s = a + b, from_b = s - a;
  return {s, (a - (s - from_b)) + (b - from_b)};
}
/// a + b exactly, for |a| >= |b| or a = 0.
inline DoubleDouble quick_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
/// a * b exactly, unless the error underflows.
inline DoubleDouble two_prod(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}
/// A 64-bit integer exactly.
inline DoubleDouble from_integer(std::int64_t value) {
  const double high = static_cast<double>(value & ~std::int64_t{0x7fffffff}),
               low = static_cast<double>(value & 0x7fffffff);
  return two_sum(high, low);
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  DoubleDouble s = two_sum(a.hi, b.hi);
  const DoubleDouble t = two_sum(a.lo, b.lo);
  s = quick_two_sum(s.hi, s.lo + t.hi);
  return quick_two_sum(s.hi, s.lo + t.lo);
}
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_prod(a.hi, b.hi);
  return quick_two_sum(p.hi, p.lo + std::fma(a.hi, b.lo, std::fma(a.lo, b.hi, a.lo * b.lo)));
}
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  const DoubleDouble rest = a - b * DoubleDouble{first};
  const double second = rest.hi / b.hi;
  const DoubleDouble last = rest - b * DoubleDouble{second};
  return quick_two_sum(first, second) + DoubleDouble{last.hi / b.hi};
}
inline DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) { return a = a + b; }

/// Times 2^exponent, exactly (unless it over- or underflows).
inline DoubleDouble scaled(DoubleDouble a, int exponent) {
  return {std::ldexp(a.hi, exponent), std::ldexp(a.lo, exponent)};
}

/// Complex number of two of them.
struct ComplexDD {
  DoubleDouble re{}, im{};
};
inline ComplexDD operator+(ComplexDD a, ComplexDD b) { return {a.re + b.re, a.im + b.im}; }
inline ComplexDD operator-(ComplexDD a, ComplexDD b) { return {a.re - b.re, a.im - b.im}; }
inline ComplexDD operator*(ComplexDD a, ComplexDD b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline ComplexDD operator*(ComplexDD a, DoubleDouble s) { return {a.re * s, a.im * s}; }
inline ComplexDD conj(ComplexDD a) { return {a.re, -a.im}; }

}  // namespace shardfft
