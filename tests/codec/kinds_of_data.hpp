// Numbers that codecs find easy, hard and impossible.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "support/scalar.hpp"

namespace shardfft::testing {

using Numbers = std::vector<double>;  // each is a number of the scalar type too

struct Kind {
  std::string name;
  Numbers numbers;
};

inline double as(Scalar scalar, double x) {
  return scalar == Scalar::f32 ? static_cast<double>(static_cast<float>(x)) : x;
}

template <class Body>
Numbers filled(Scalar scalar, int n, Body body) {
  Numbers x(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = as(scalar, body(i));
  return x;
}

inline Numbers white_noise(Scalar scalar, int n, unsigned seed, double size = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return filled(scalar, n, [&](int) { return size * normal(random); });
}

/// Everything finite.
inline std::vector<Kind> kinds_of_data(Scalar scalar, int n, unsigned seed) {
  const bool f32 = scalar == Scalar::f32;
  const int most = f32 ? 127 : 1000, least = f32 ? -149 : -1074;  // exponents
  const double decades = f32 ? 30 : 60;
  const Numbers white = white_noise(scalar, n, seed);
  const auto noise = [&](int i) { return white[static_cast<std::size_t>(i)]; };
  return {
      {"white noise", white},
      {"constant", filled(scalar, n, [](int) { return 0.1; })},
      {"ones", filled(scalar, n, [](int) { return 1.0; })},
      {"cosine", filled(scalar, n, [n](int i) { return std::cos(2 * std::numbers::pi * 3 * i / n); })},
      {"spike", filled(scalar, n, [&](int i) { return i == n / 3 ? (f32 ? 1e30 : 1e200) : noise(i); })},
      {"steep spectrum",
       filled(scalar, n,
              [&](int i) { return noise(i) * std::pow(std::pow(10.0, decades * i / n * 6 / 11), -11.0 / 6); })},
      {"subnormal", filled(scalar, n, [&](int i) { return std::ldexp(noise(i), least + 20); })},
      {"barely normal", filled(scalar, n, [&](int i) { return std::ldexp(noise(i), f32 ? -124 : -1018); })},
      {"huge", filled(scalar, n, [&](int i) { return std::ldexp(std::fmod(noise(i), 1.0), most); })},
      {"zeros", filled(scalar, n, [](int) { return 0.0; })},
      {"zeros of both signs, and one number",
       filled(scalar, n, [&](int i) { return i == 70      ? 3.5
                                             : i % 2 == 0 ? 0.0
                                                          : -0.0; })},
      {"blocks of zeros and of noise", filled(scalar, n, [&](int i) { return i / 64 % 2 == 0 ? 0.0 : noise(i); })},
      {"integers", filled(scalar, n, [&](int i) { return std::rint(100 * noise(i)); })},
  };
}

/// Kinds of data with Inf and NaN in some blocks.
inline std::vector<Kind> kinds_that_are_not_finite(Scalar scalar, int n, unsigned seed) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Numbers some = white_noise(scalar, n, seed), one = some, all = filled(scalar, n, [&](int i) {
                                                             return i % 3 == 0 ? inf : i % 3 == 1 ? -inf : nan;
                                                           });
  for (std::size_t i = 0; i < some.size(); i += 37) some[i] = i % 2 == 0 ? inf : nan;
  one[one.size() / 2] = -inf;
  return {{"Inf and NaN", some}, {"one Inf", one}, {"nothing finite", all}};
}

/// L2 norm, without overflow.
inline long double norm_of(const Numbers& x) {
  long double sum = 0;
  for (const double v : x) sum += static_cast<long double>(v) * v;
  return std::sqrt(sum);
}

/// A power of two near it, as plans count losses in.
inline double unit_near(double norm) {
  return norm == 0 ? 1 : std::ldexp(1.0, std::clamp(std::ilogb(norm), -1000, 1000));
}

}  // namespace shardfft::testing
