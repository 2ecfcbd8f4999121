#include "support/problems/approximation.hpp"

#include <fmt/format.h>

#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

constexpr double turn = 6.283185307179586;

double value_of(int kind, Index position, Index count, std::uint64_t seed, bool single) {
  const double noise = 2 * random_value(seed, position), t = static_cast<double>(position) / static_cast<double>(count);
  switch (kind) {
    case 0:
      return noise;
    case 1:
      return 1.7;
    case 2:
      return std::cos(turn * 3 * t);
    case 3:
      return position == count / 3 ? (single ? 1e12 : 1e100) : 0;
    case 4:
      return 1 / (1.2 + std::sin(turn * t));
    case 5:
      return noise * std::pow(1 + static_cast<double>(position % 97), -5. / 6);
    case 6:
      return std::copysign(std::pow(10.0, (single ? 30 : 60) * random_value(seed + 1, position)), noise);
    case 7:
      return noise * (single ? 1e-41 : 1e-310);
    case 8:
      return noise * (single ? 1e15 : 1e145);
    case 9:
      return std::copysign(0.5 + std::floor(8 * std::abs(noise)), noise) / 1024;
    case 10:
      return 0;
    case 11:
      return position % 64 == 0 ? noise : 0;
    case 12:
      return noise * std::pow(1 + static_cast<double>(position), -11. / 6);
    default:
      return noise * (position < 64 ? (single ? 1e6 : 1e12) : 1);
  }
}

}  // namespace

Whole data_of(int kind, const Shape& shape, bool complex, std::uint64_t seed, bool single) {
  Whole x{shape, std::vector<Reference>(static_cast<std::size_t>(product(shape)))};
  const auto n = static_cast<Index>(x.values.size());
  for (Index i = 0; i < n; ++i) {
    const double re = value_of(kind, i, n, seed, single),
                 im = complex ? value_of(kind, n - 1 - i, n, seed + 3, single) : 0;
    x.values[static_cast<std::size_t>(i)] =
        single ? Reference(static_cast<float>(re), static_cast<float>(im)) : Reference(re, im);
  }
  return x;
}

std::string to_string(const Approximation& a) {
  const Options& o = a.c.options;
  return fmt::format("{}; data {}, tolerance {:.2g}, {} {}{}, times {}", to_string(a.c), kinds_of_data[a.data],
                     o.tolerance, o.guarantee, o.expert.codec, o.in_place ? ", in place" : "", a.factor);
}

Approximation random_approximation(std::uint64_t seed, Index least, Index most, int most_ranks) {
  Approximation a;
  for (std::uint64_t attempt = 0; attempt == 0 || product(a.c.problem.shape) < least; ++attempt)
    a.c = random_case(seed + (attempt << 32), most, most_ranks);
  std::mt19937_64 random(seed * 77 + 5);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const bool single = a.c.problem.precision == f32;
  a.data = static_cast<int>(pick(std::size(kinds_of_data)));
  a.c.problem.forward = Scaling::none;
  a.c.problem.backward = Scaling::by_n;
  Options& o = a.c.options;
  o.expert.encode_near = true;
  o.tolerance = std::pow(10.0, -1 - (single ? 4 : 11) * std::generate_canonical<double, 32>(random));
  o.guarantee = std::array{"certified", "worst", "statistical"}[pick(3)];
  const std::array codecs{"",         "",         "block_float",          "f16",
                          "mantissa", "lossless", single ? "f16" : "f32", single ? "block_float" : "zfp"};
  o.expert.codec = codecs[pick(codecs.size())];
  if (!find_codec(o.expert.codec) || !find_codec(o.expert.codec)->refuses(single ? Scalar::f32 : Scalar::f64).empty())
    o.expert.codec.clear();
  if (pick(4) == 0) o.expert.chunks = 1 + static_cast<int>(pick(5));
  o.in_place = pick(6) == 0;
  a.factor = std::array{1.0, -3.0, 0.001}[pick(3)];
  return a;
}

bool is_usual(const Whole& x, bool single) {
  long double largest = 0;
  for (const Reference& v : x.values) largest = std::max(largest, std::abs(v));
  return largest == 0 || (largest > (single ? 1e-25L : 1e-140L) && largest < (single ? 1e35L : 1e150L));
}

std::uint64_t first_seed() { return chosen_seed(20260401); }

}  // namespace shardfft::testing
