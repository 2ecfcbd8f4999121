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

/// Levels of a transform, one after the other.
double levels(const TransformSpec& spec) {
  double sum = 0;
  for (const int a : spec.axes) sum += squared_growth(logical_length(kind_of(spec, a), spec.shape[a]));
  return sum;
}

/// Relative error of a transform in units of u.
double growth(const TransformSpec& spec) { return 2 + 2 * std::sqrt(levels(spec)); }

}  // namespace

double exact_bound(const TransformSpec& spec, Precision precision) {
  return growth(spec) * (precision == Precision::f32 ? 0x1p-24 : 0x1p-53);
}

int smallest_exponent(Precision precision) { return precision == Precision::f32 ? -149 : -1074; }

// Sums of subnormal numbers are exact; a product errs by half the smallest subnormal. Two products a level are half of
// what is reckoned with. At worst all numbers err alike, as those of a constant array do, and what follows makes the
// norm of that as much larger as that of data: by the root of the number of points, where scaling comes first, too.
double floor_in_subnormals(const TransformSpec& spec, double numbers) {
  const double gain = std::max(1.0, std::abs(spec.scale)) * std::sqrt(transform_size(spec));
  return (2 + 2 * levels(spec)) * gain * std::sqrt(numbers);
}

double exact_floor(const TransformSpec& spec, Precision precision, double numbers) {
  return std::ldexp(floor_in_subnormals(spec, numbers), smallest_exponent(precision));
}

}  // namespace shardfft
