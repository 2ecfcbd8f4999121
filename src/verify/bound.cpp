#include <cmath>

#include "verify/spec.hpp"

namespace shardfft {
namespace {

/// Largest prime factor of n; 1 for 1.
Index largest_prime_factor(Index n) {
  Index largest = 1;
  for (Index p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return n > 1 ? n : largest;
}

/// Squared relative error of a 1-D transform in units of u^2, as it grows with random rounding: one unit per radix-2
/// level. Lengths with prime factors above 13 go through two transforms of up to four times the length, and two
/// products with a chirp (Bluestein).
double squared_growth(Index n) {
  const double levels = std::log2(static_cast<double>(n));
  return largest_prime_factor(n) <= 13 ? levels : 4 * (levels + 4);
}

/// Relative error of a transform in units of u.
double growth(const TransformSpec& spec) {
  double squares = 0;
  for (const int a : spec.axes) squares += squared_growth(spec.shape[a]);
  return 2 + 2 * std::sqrt(squares);
}

}  // namespace

double exact_bound(const TransformSpec& spec, Precision precision) {
  return growth(spec) * (precision == Precision::f32 ? 0x1p-24 : 0x1p-53);
}

// Each operation errs by half the smallest subnormal, and later ones make that larger as they do the data.
int smallest_exponent(Precision precision) { return precision == Precision::f32 ? -149 : -1074; }

double floor_in_subnormals(const TransformSpec& spec, double numbers) {
  const double gain = std::max(1.0, std::abs(spec.scale) * std::sqrt(transform_size(spec)));
  return growth(spec) * gain * std::sqrt(numbers);
}

double exact_floor(const TransformSpec& spec, Precision precision, double numbers) {
  return std::ldexp(floor_in_subnormals(spec, numbers), smallest_exponent(precision));
}

}  // namespace shardfft
