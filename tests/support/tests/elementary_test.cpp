#include "shardfft/operators/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace shardfft {
namespace {

/// That no other double is nearer to what the C library computes in long double, but for that one's own error.
void expect_nearest(double rounded, long double exact, const char* what, double x) {
  const auto off = [&](double y) { return std::abs(static_cast<long double>(y) - exact); };
  constexpr long double room = 1 - 1e-2L;
  ASSERT_LE(off(rounded) * room, off(std::nextafter(rounded, 1e9))) << what << " of " << x;
  ASSERT_LE(off(rounded) * room, off(std::nextafter(rounded, -1e9))) << what << " of " << x;
}

TEST(ElementaryFunctions, GiveTheNearestDouble) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponents(-40, 30), powers(-700, 700);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::exp2(exponents(random)) * (i % 2 == 0 ? 1 : -1), y = i % 3 == 0 ? x * 1e-7 : powers(random);
    expect_nearest(nearest_sin(x), std::sin(static_cast<long double>(x)), "sin", x);
    expect_nearest(nearest_cos(x), std::cos(static_cast<long double>(x)), "cos", x);
    expect_nearest(nearest_exp(y), std::exp(static_cast<long double>(y)), "exp", y);
  }
}

TEST(ElementaryFunctions, AreSymmetricAndKnowTheEndsOfTheirRange) {
  for (const double x : {0.1, 1.0, 3.0, 100.0, 1e9}) {
    EXPECT_EQ(nearest_sin(-x), -nearest_sin(x));
    EXPECT_EQ(nearest_cos(-x), nearest_cos(x));
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(nearest_sin(0), 0);
  EXPECT_EQ(nearest_cos(0), 1);
  EXPECT_EQ(nearest_exp(0), 1);
  EXPECT_TRUE(std::isnan(nearest_sin(infinite)) && std::isnan(nearest_cos(std::nan(""))));
  EXPECT_EQ(nearest_exp(1000), infinite);
  EXPECT_EQ(nearest_exp(infinite), infinite);
  EXPECT_EQ(nearest_exp(-infinite), 0);
  EXPECT_TRUE(std::isnan(nearest_exp(std::nan(""))));
  EXPECT_LE(std::abs(nearest_sin(1e300)), 1);
}

}  // namespace
}  // namespace shardfft
