// Medians, their intervals, Mann-Whitney's U against SciPy.
#include "compare/statistics/statistics.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "compare/statistics/mann_whitney.hpp"

namespace shardfft::compare {
namespace {

using Values = std::vector<double>;

TEST(Median, IsInTheMiddleOfOddAndBetweenTheTwoOfEvenNumbers) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(MedianInterval, LeavesOutAsManyValuesAsTheBinomialDistributionAllows) {
  struct Row {
    int values, left_out;
    double coverage;  // 1 - 2 * scipy.stats.binom.cdf(left_out, values, 0.5)
  };
  for (const auto& [values, left_out, coverage] : {Row{6, 0, 0.96875},
                                                   {7, 0, 0.984375},
                                                   {8, 0, 0.9921875},
                                                   {9, 1, 0.9609375},
                                                   {10, 1, 0.978515625},
                                                   {15, 3, 0.96484375},
                                                   {16, 3, 0.978729248046875},
                                                   {20, 5, 0.9586105346679688},
                                                   {50, 17, 0.9671608624357315}}) {
    Values x;
    for (int i = values; i >= 1; --i) x.push_back(i);
    const Interval interval = median_interval(x);
    EXPECT_EQ(interval.low, 1 + left_out) << values;
    EXPECT_EQ(interval.high, values - left_out) << values;
    EXPECT_NEAR(interval.coverage, coverage, 1e-12) << values;
  }
}

TEST(MedianInterval, OfFewerThanSixValuesSaysThatItHoldsLessThan95Percent) {
  const Interval five = median_interval({5, 3, 1, 2, 4});
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.high, 5);
  EXPECT_NEAR(five.coverage, 0.9375, 1e-12);
  EXPECT_NEAR(median_interval({1}).coverage, 0, 1e-12);
}

TEST(MedianInterval, HoldsTheTrueMedianAsOftenAsItSays) {
  const unsigned seed = 20261120;
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> skewed(1);
  int held = 0;
  constexpr int trials = 20000;
  for (int i = 0; i < trials; ++i) {
    Values x(9);
    for (double& v : x) v = skewed(random);
    const Interval interval = median_interval(x);
    held += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
  }
  EXPECT_NEAR(static_cast<double>(held) / trials, 0.9609375, 0.006) << "seed " << seed;  // four standard deviations
}

TEST(Sample, CountsALaunchOnceHoweverManyIterationsItHas) {
  const Sample s = sample_of({{1, 1, 1, 1, 1, 1, 1}, {5}, {6}});
  EXPECT_EQ(s.median, 5);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 6);
  EXPECT_EQ(s.interval.low, 1);
  EXPECT_EQ(s.interval.high, 6);
}

struct Known {
  Values x, y;
  double u, p;
};

void expect_known(const Known& k) {
  const MannWhitney found = mann_whitney_greater(k.x, k.y);
  EXPECT_NEAR(found.u, k.u, 1e-9);
  EXPECT_NEAR(found.p_value, k.p, 1e-12);
}

// scipy 1.17.1, mannwhitneyu(x, y, alternative="greater", method="exact")
TEST(Noise, IsHowFarRatiosLieFromOne) {
  const Noise noise = noise_of({0.9, 1.04, 1.01});
  EXPECT_EQ(noise.ratios, 3U);
  EXPECT_EQ(noise.least, 0.9);
  EXPECT_EQ(noise.most, 1.04);
  EXPECT_NEAR(noise.half_within, 0.04, 1e-12);
  EXPECT_EQ(noise_of({}).ratios, 0U);
}

TEST(MannWhitney, WithoutTiesIsAsSciPysExactOne) {
  expect_known({{6, 7, 8, 9, 10}, {1, 2, 3, 4, 5}, 25, 0.003968253968253968});
  expect_known({{1.1, 2.2, 3.3, 4.4}, {0.5, 2.0, 3.0, 5.0, 1.0, 0.7}, 17, 0.17619047619047618});
  expect_known({{3, 5, 1}, {2, 4, 6, 8}, 3, 0.8857142857142858});
  expect_known({{1, 2, 3, 4, 5, 6}, {10, 11, 12, 13}, 0, 1});
}

// method=PermutationMethod(n_resamples=inf): all ways of distributing the values
TEST(MannWhitney, WithTiesIsAsSciPysFullPermutationTest) {
  expect_known({{1, 2, 2, 3, 5}, {2, 2, 1, 1}, 15, 0.19047619047619047});
  expect_known({{4, 4, 4, 5}, {4, 4, 3, 3, 4}, 15.5, 0.15873015873015872});
  expect_known({{1, 1, 1}, {1, 1, 1}, 4.5, 1});
}

// method="asymptotic", use_continuity=True
TEST(MannWhitney, OfManyValuesIsAsSciPysNormalOne) {
  Values x, y, tied_x, tied_y;
  for (int k = 0; k < 40; ++k) x.push_back((7 * k) % 41 + 0.25 * k), tied_x.push_back((7 * k) % 10 + 2);
  for (int k = 0; k < 35; ++k) y.push_back((11 * k) % 37 + 0.1 * k), tied_y.push_back((3 * k) % 10);
  expect_known({x, y, 850.5, 0.055499416470363924});
  expect_known({tied_x, tied_y, 960, 0.00282373293134315});
}

TEST(MannWhitney, SaysNothingOfAnEmptySample) { EXPECT_EQ(mann_whitney_greater(Values{}, Values{1, 2}).p_value, 1); }

}  // namespace
}  // namespace shardfft::compare
