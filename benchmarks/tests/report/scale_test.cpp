#include "report/charts/scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace shardfft::report {
namespace {

TEST(Scale, PutsEndsOnTheRimAndHalvesInTheMiddle) {
  const Scale even{.lo = 0, .hi = 8, .from = 100, .to = 300},
      log{.lo = 1, .hi = 100, .log = true, .from = 300, .to = 100};
  EXPECT_DOUBLE_EQ(even(0), 100);
  EXPECT_DOUBLE_EQ(even(4), 200);
  EXPECT_DOUBLE_EQ(even(8), 300);
  EXPECT_DOUBLE_EQ(log(1), 300);
  EXPECT_DOUBLE_EQ(log(10), 200);
  EXPECT_DOUBLE_EQ(log(100), 100);
}

TEST(Scale, KeepsWhatLiesOutsideOnTheRim) {
  const Scale s{.lo = 1, .hi = 2, .log = true, .from = 0, .to = 10};
  EXPECT_DOUBLE_EQ(s(0), 0);
  EXPECT_DOUBLE_EQ(s(5), 10);
}

TEST(Scale, BarsNeverReachTheRimAndUseMostOfTheRoom) {
  for (const double largest : {1e-6, 0.123, 0.999, 1.0, 1.5, 2.0, 3.7, 9.99, 10.0, 31337.0}) {
    const Scale s = linear_scale(largest, 0, 1);
    EXPECT_EQ(s.lo, 0);
    EXPECT_GT(s.hi, largest);
    EXPECT_LE(s.hi, 1.6 * largest);
  }
}

TEST(Scale, NothingMeasuredStillGivesAScale) { EXPECT_GT(linear_scale(0, 0, 1).hi, 0); }

/// 1, 2 or 5 times a power of ten.
bool is_round(double value) {
  const double digit = value / std::pow(10, std::floor(std::log10(value) + 1e-9));
  return std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6;
}

TEST(Ticks, OfAnEvenScaleAreEquallyFarApartInRoundSteps) {
  for (const double hi : {0.0031, 0.7, 1.0, 4.2, 60.0, 999.0}) {
    const std::vector<double> t = ticks({.lo = 0, .hi = hi}, 5);
    ASSERT_GE(t.size(), 2U) << hi;
    EXPECT_LE(t.size(), 6U) << hi;
    EXPECT_FALSE(std::signbit(t[0])) << "0 is written without a sign";
    for (std::size_t i = 1; i < t.size(); ++i) EXPECT_NEAR(t[i] - t[i - 1], t[1] - t[0], 1e-9 * hi);
    EXPECT_TRUE(is_round(t[1] - t[0])) << t[1] - t[0];
  }
}

TEST(Ticks, OfALogarithmicScaleAreRoundAndInside) {
  for (const auto& [lo, hi] : {std::pair{1e-17, 3e-15}, {0.8, 7.0}, {1.0, 1e6}, {0.02, 30.0}, {1e-6, 1e6}}) {
    const std::vector<double> t = ticks({.lo = lo, .hi = hi, .log = true}, 5);
    ASSERT_GE(t.size(), 2U) << lo << " " << hi;
    EXPECT_LE(t.size(), 10U) << lo << " " << hi;
    for (const double value : t) {
      EXPECT_TRUE(is_round(value)) << value;
      EXPECT_GE(value, lo * 0.999);
      EXPECT_LE(value, hi * 1.001);
    }
  }
}

TEST(Ticks, OfANarrowLogarithmicScaleAreAtLeastTwo) {
  for (const auto& [lo, hi] : {std::pair{1.1, 1.9}, {2.1, 4.9}, {0.00251, 0.0026}})
    EXPECT_GE(ticks({.lo = lo, .hi = hi, .log = true}, 5).size(), 2U) << lo;
}

TEST(Labels, KeepTheirDistance) {
  const Scale s{.lo = 0, .hi = 100, .from = 0, .to = 100};
  const auto width = [](double) { return 20.0; };
  EXPECT_EQ(apart({0, 10, 20, 30, 60}, s, width), (std::vector<double>{0, 30, 60}));
  EXPECT_EQ(apart({}, s, width), std::vector<double>{});
}

}  // namespace
}  // namespace shardfft::report
