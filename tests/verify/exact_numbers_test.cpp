#include <gtest/gtest.h>

#include "engine/targets.hpp"
#include "oracle.hpp"
#include "verify/exact_dft.hpp"
#include "verify/roots.hpp"

namespace shardfft {
namespace {

using namespace testing;

/// a + b for numbers whose sum needs more than 64 bits: compares leading and trailing part.
TEST(DoubleDouble, KeepsWhatDoublesRoundOff) {
  const DoubleDouble sum = two_sum(1.0, 0x1p-80), product = two_prod(1 + 0x1p-40, 1 + 0x1p-40);
  EXPECT_EQ(sum.hi, 1.0);
  EXPECT_EQ(sum.lo, 0x1p-80);
  EXPECT_EQ(product.hi, 1 + 0x1p-39);
  EXPECT_EQ(product.lo, 0x1p-80);
}

TEST(DoubleDouble, TakesIntegersExactly) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 53) + 1,
                                   -(std::int64_t{1} << 60) + 12345, (std::int64_t{1} << 62) - 1}) {
    const DoubleDouble d = from_integer(value);
    EXPECT_EQ(static_cast<__int128>(d.hi) + static_cast<__int128>(d.lo), static_cast<__int128>(value));
  }
}

TEST(DoubleDouble, MultipliesAndDividesToAHundredBits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(1, 2);
  for (int i = 0; i < 1000; ++i) {
    const DoubleDouble a{uniform(random), uniform(random) * 0x1p-54}, b{uniform(random), uniform(random) * 0x1p-54};
    const DoubleDouble back = a * b / b - a;
    EXPECT_LT(std::abs(back.rounded()), 0x1p-99);
    const DoubleDouble distributed = (a + b) * a - (a * a + b * a);
    EXPECT_LT(std::abs(distributed.rounded()), 0x1p-98);
  }
}

TEST(RootsOfUnity, AreThoseOfTheDefinition) {
  for (const Index q : {1, 2, 3, 4, 5, 8, 12, 97, 1000, 4096})
    for (Index p = -q; p <= 2 * q; ++p) {
      const ComplexDD z = root_of_unity(p, q);
      const Wide expected = turn((p + 2 * q) % q, q);
      EXPECT_LT(
          std::abs(Wide(static_cast<long double>(z.re.hi) + z.re.lo, static_cast<long double>(z.im.hi) + z.im.lo) -
                   expected),
          1e-18L)
          << p << "/" << q;
    }
}

TEST(RootsOfUnity, AreOnTheUnitCircleAndGiveOneWhenRaisedToTheirOrderToAHundredBits) {
  for (const Index q : {3, 7, 64, 1000, 65536, 1000003}) {
    const ComplexDD z = root_of_unity(1, q), other = root_of_unity(q - 1, q);
    const ComplexDD one = z * other;
    EXPECT_LT(std::abs((one.re - DoubleDouble{1.0}).rounded()) + std::abs(one.im.rounded()), 0x1p-100) << q;
    const std::vector<ComplexDD> all = roots_of_unity(q, 1);
    const ComplexDD half = all[static_cast<std::size_t>(q / 2)] * all[static_cast<std::size_t>(q - q / 2)];
    EXPECT_LT(std::abs((half.re - DoubleDouble{1.0}).rounded()) + std::abs(half.im.rounded()), 0x1p-97) << q;
  }
}

TEST(RootsOfUnity, AreExactAtQuarterTurnsHoweverLargeTheOrder) {
  const Index q = Index{1} << 58;
  for (int turns = 0; turns < 4; ++turns) {
    const ComplexDD z = root_of_unity(turns * (q / 4), q);
    EXPECT_EQ(z.re.rounded(), turns == 0 ? 1 : turns == 2 ? -1 : 0);
    EXPECT_EQ(z.im.rounded(), turns == 1 ? 1 : turns == 3 ? -1 : 0);
  }
}

/// Lanes of random numbers.
Quads random_quads(Index n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Quads x(n, 16);
  for (double& v : x.values) v = uniform(random);
  for (Index i = 0; i < n; ++i)
    for (int l = 0; l < 16; ++l) x.set(i, l, {DoubleDouble{x.get(i, l).re.hi}, DoubleDouble{x.get(i, l).im.hi}});
  return x;
}

TEST(ExactDft, AgreesWithTheDefinitionForEverySmallLengthAndEveryLane) {
  for (Index n = 1; n <= 75; ++n) {
    const Quads x = random_quads(n, 3);
    for (const int sign : {-1, 1}) {
      const Quads y = ExactDft(n, sign)(x);
      for (const int lane : {0, 7, 15})
        for (Index k = 0; k < n; ++k) {
          Wide expected = 0;
          for (Index j = 0; j < n; ++j)
            expected += Wide(x.get(j, lane).re.hi, x.get(j, lane).im.hi) *
                        (sign < 0 ? std::conj(turn(j * k, n)) : turn(j * k, n));
          EXPECT_LT(std::abs(Wide(y.get(k, lane).re.hi, y.get(k, lane).im.hi) - expected), 1e-14L) << n;
        }
    }
  }
}

void expect_to_come_back() {
  for (const Index n : {31, 37, 64, 360, 1024, 1009, 2 * 3 * 5 * 7 * 11, 4096}) {
    const Quads x = random_quads(n, 4);
    const Quads back = ExactDft(n, 1)(ExactDft(n, -1)(x));
    for (const int lane : {0, 15})
      for (Index k = 0; k < n; ++k) {
        const ComplexDD difference = back.get(k, lane) - x.get(k, lane) * from_integer(n);
        EXPECT_LT(std::abs(difference.re.rounded()) + std::abs(difference.im.rounded()),
                  0x1p-90 * static_cast<double>(n))
            << n;
      }
  }
}

TEST(ExactDft, ComesBackToNinetyBitsWithEveryInstructionSet) { on_every_target(expect_to_come_back); }

}  // namespace
}  // namespace shardfft
