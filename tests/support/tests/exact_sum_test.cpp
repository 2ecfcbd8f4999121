#include "shardfft/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace shardfft {
namespace {

/// Any finite double, all magnitudes alike.
double any_double(std::mt19937_64& random) {
  double x = 0;
  do x = std::bit_cast<double>(random());
  while (!std::isfinite(x));
  return x;
}

double sum(const std::vector<double>& numbers) {
  ExactSum all;
  for (const double x : numbers) all.add(x);
  return all.value();
}

// The processor rounds the sum of two correctly.
TEST(ExactSum, OfTwoIsWhatTheProcessorSays) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const double a = any_double(random);
    const double b = i % 2 == 0 ? any_double(random) : a * std::ldexp(-0.7, -static_cast<int>(random() % 140));
    ASSERT_EQ(sum({a, b}), a + b) << a << " " << b;
  }
}

TEST(ExactSum, LosesNothingThatIsCancelledLater) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const double a = any_double(random), b = any_double(random), c = any_double(random);
    ASSERT_EQ(sum({a, b, c, -a, -b}), c);
    ASSERT_EQ(sum({a, -a}), 0);
  }
}

TEST(ExactSum, IsTheSameInEveryOrderAndOnEveryNumberOfRanks) {
  std::mt19937_64 random(3);
  std::vector<double> numbers(1000);
  for (double& x : numbers) x = any_double(random) * 1e-12;
  const double expected = sum(numbers);
  ASSERT_TRUE(std::isfinite(expected));
  for (const int ranks : {1, 2, 5}) {
    std::shuffle(numbers.begin(), numbers.end(), random);
    on_ranks(ranks, [&](const Comm& comm) {
      ExactSum mine;
      for (std::size_t i = 0; i < numbers.size(); ++i)
        if (static_cast<int>(i) % comm.size() == comm.rank()) mine.add(numbers[i]);
      EXPECT_EQ(mine.value(comm), expected);
    });
  }
}

TEST(ExactSum, KnowsInfinityAndNotANumber) {
  constexpr double largest = std::numeric_limits<double>::max(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum({largest, largest}), inf);
  EXPECT_EQ(sum({largest, largest, -largest}), largest);
  EXPECT_EQ(sum({1, inf}), inf);
  EXPECT_TRUE(std::isnan(sum({inf, 1, -inf})));
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({-0.0}), 0);
}

TEST(ExactSum, OfManyOnAllRanksIsThatOfEach) {
  on_ranks(3, [](const Comm& comm) {
    std::vector<ExactSum> sums(4);
    sums[0].add(std::ldexp(1.0, 900 * (comm.rank() - 1)));
    sums[2].add(comm.rank() == 1 ? std::numeric_limits<double>::infinity() : 1);
    sums[3].add(comm.rank() == 2 ? std::nan("") : -1);
    const std::vector<double> values = values_of(comm, sums);
    EXPECT_EQ(values[0], 0x1p900);
    EXPECT_EQ(values[1], 0);
    EXPECT_EQ(values[2], std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(values[3]));
    EXPECT_TRUE(values_of(comm, {}).empty());
  });
}

}  // namespace
}  // namespace shardfft
