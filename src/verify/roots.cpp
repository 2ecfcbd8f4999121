#include "verify/roots.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace shardfft {
namespace {

constexpr int terms = 30;  // (pi/4)^30 / 30! < 2^-117

/// 1 / k!
const std::array<DoubleDouble, terms>& inverse_factorials() {
  static const auto table = [] {
    std::array<DoubleDouble, terms> t{};
    t[0] = 1.0;
    for (int k = 1; k < terms; ++k)
      t[static_cast<std::size_t>(k)] = t[static_cast<std::size_t>(k - 1)] / DoubleDouble{static_cast<double>(k)};
    return t;
  }();
  return table;
}

/// cos and sin of |t| <= pi/4 by their Taylor series (Horner).
ComplexDD cos_sin(DoubleDouble t) {
  const auto& f = inverse_factorials();
  const DoubleDouble minus_t2 = -(t * t);
  DoubleDouble c = f[terms - 2], s = f[terms - 1];
  for (std::size_t k = terms - 2; k >= 2; k -= 2) {
    c = c * minus_t2 + f[k - 2];
    s = s * minus_t2 + f[k - 1];
  }
  return {c, s * t};
}

ComplexDD quarter_turns(ComplexDD z, Index turns) {
  switch (turns & 3) {
    case 0:
      return z;
    case 1:
      return {-z.im, z.re};
    case 2:
      return {-z.re, -z.im};
    default:
      return {z.im, -z.re};
  }
}

}  // namespace

ComplexDD root_of_unity(Index p, Index q) {
  p %= q;
  if (p < 0) p += q;
  const Index quarters = (4 * p + q / 2) / q;  // nearest to 4 p / q
  const Index rest = 4 * p - quarters * q;     // |rest / q| <= 1/2 quarter turns
  const DoubleDouble half_pi{1.5707963267948966192, 6.1232339957367658861e-17};
  return quarter_turns(cos_sin(from_integer(rest) / from_integer(q) * half_pi), quarters);
}

RootTable::RootTable(Index q, int sign) : bits_(std::bit_width(static_cast<std::uint64_t>(q)) / 2) {
  const Index step = Index{1} << bits_;
  for (Index j = 0; j < step && j < q; ++j) fine_.push_back(root_of_unity(sign * j, q));
  for (Index j = 0; j < q; j += step) coarse_.push_back(root_of_unity(sign * j, q));
}

std::vector<ComplexDD> roots_of_unity(Index q, int sign) {
  const RootTable table(q, sign);
  std::vector<ComplexDD> all;
  all.reserve(static_cast<std::size_t>(q));
  for (Index j = 0; j < q; ++j) all.push_back(table(j));
  return all;
}

}  // namespace shardfft
