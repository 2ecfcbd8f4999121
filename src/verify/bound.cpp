#include <cmath>

#include "verify/verify.hpp"

namespace shardfft {
namespace {

/// Largest prime factor of n; 1 for 1.
Index largest_prime_factor(Index n) {
  Index largest = 1;
  for (Index p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) largest = p;
  return n > 1 ? n : largest;
}

/// Squared relative error of a 1-D transform in units of u^2, as it grows with random rounding: one unit per radix-2 level. Lengths with prime factors
/// above 13 go through two transforms of up to four times the length, and two products with a chirp (Bluestein).
double squared_growth(Index n) {
  const double levels = std::log2(static_cast<double>(n));
  return largest_prime_factor(n) <= 13 ? levels : 4 * (levels + 4);
}

}  // namespace

double exact_bound(const TransformSpec& spec, Precision precision) {
  const double unit = precision == Precision::f32 ? 0x1p-24 : 0x1p-53;
  double growth = 0;
  for (const int a : spec.axes) growth += squared_growth(spec.shape[a]);
  return unit * (2 + 2 * std::sqrt(growth));
}

}  // namespace shardfft
