// Sums in any order against sums in long double.
#include "support/reproducible_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace shardfft::testing {
namespace {

std::vector<double> numbers(std::uint64_t seed, int from, int to) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> fraction(0.5, 1);
  std::uniform_int_distribution<int> exponent(from, to);
  std::vector<double> all(1000);
  for (double& x : all) x = std::ldexp(fraction(random), exponent(random));
  return all;
}

double reproducible(const std::vector<double>& all) {
  ReproducibleSum sum;
  for (const double x : all) sum.add(x);
  return sum.value();
}

TEST(ReproducibleSum, IsTheSumAndTheSameToTheLastBitInAnyOrder) {
  for (const auto& [from, to] : {std::pair{0, 0}, {-40, 40}, {-1073, -1000}, {980, 1010}, {-1073, 1010}}) {
    const std::uint64_t seed = 7;
    std::vector<double> all = numbers(seed, from, to);
    long double exact = 0;
    for (const double x : all) exact += x;
    const double first = reproducible(all);
    EXPECT_NEAR(first, static_cast<double>(exact), static_cast<double>(exact) * 4e-16)
        << "exponents from " << from << " to " << to;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 20; ++i) {
      std::shuffle(all.begin(), all.end(), random);
      EXPECT_EQ(reproducible(all), first);
    }
  }
}

TEST(ReproducibleSum, OfOneNumberIsThatNumber) {
  using limits = std::numeric_limits<double>;
  for (const double x : {0.0, 1.0, 0.1, limits::denorm_min(), limits::min(), limits::max(), 3e-320, 1e300})
    EXPECT_EQ(reproducible({x}), x);
}

TEST(ReproducibleSum, KnowsInfinityAndNotANumber) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reproducible({1, inf, 2}), inf);
  EXPECT_TRUE(std::isnan(reproducible({1, std::nan(""), inf})));
}

TEST(ReproducibleSum, TakesNumbersFromManyThreadsAndBeginsAgain) {
  const std::vector<double> all = numbers(11, -60, 60);
  ReproducibleSum sum;
  for (int again = 0; again < 3; ++again) {
    sum.clear();
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < all.size(); i += 4) sum.add(all[i]);
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(sum.value(), reproducible(all));
  }
}

}  // namespace
}  // namespace shardfft::testing
