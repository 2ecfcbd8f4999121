#include "engine/native/root_products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "verify/double_double.hpp"

namespace shardfft::native {
namespace {

/// cos and sin of `eighths`/`of` of an eighth of a turn, to 2^-98, by series in double-double.
struct Circle {
  DoubleDouble cos{1}, sin{};
  Circle(Index eighths, Index of) {
    const DoubleDouble quarter_pi{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
    const DoubleDouble x = quarter_pi * from_integer(eighths) / from_integer(of);
    DoubleDouble term = x;
    for (int k = 1; k < 40; ++k, term = term * x / DoubleDouble(k)) {
      DoubleDouble& sum = k % 2 == 0 ? cos : sin;
      sum = k / 2 % 2 == 0 ? sum + term : sum - term;
    }
  }
};

/// Whether no other number of its type is nearer to x; a tie within the reference's own error passes.
template <class T>
bool is_nearest(T rounded, const DoubleDouble& x) {
  const auto distance = [&](T t) { return std::abs((x - DoubleDouble(static_cast<double>(t))).rounded()); };
  const double own = distance(rounded) * (1 - 1e-12);
  return own <= distance(std::nextafter(rounded, T(2))) && own <= distance(std::nextafter(rounded, T(-2)));
}

TEST(RootsOfUnity, AreRoundedToTheNearestNumber) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 5000; ++i) {
    const Index n = i < 1000 ? 1 + i : static_cast<Index>(random() >> (4 + random() % 58)) + 8,
                k = static_cast<Index>(random() % static_cast<std::uint64_t>(n / 8 + 1));
    const Root w = root_of_unity(k, n), product = Roots(std::min<Index>(n, 1 << 20))(std::min<Index>(k, 1 << 17));
    const Circle exact(8 * k, n);
    ASSERT_TRUE(is_nearest(static_cast<double>(w.re), exact.cos)) << k << "/" << n;
    ASSERT_TRUE(is_nearest(static_cast<double>(-w.im), exact.sin)) << k << "/" << n;
    ASSERT_TRUE(is_nearest(static_cast<float>(w.re), exact.cos)) << k << "/" << n;
    ASSERT_TRUE(is_nearest(static_cast<float>(-w.im), exact.sin)) << k << "/" << n;
    if (n > 1 << 20) continue;
    ASSERT_TRUE(is_nearest(static_cast<double>(product.re), exact.cos)) << k << "/" << n;
    ASSERT_TRUE(is_nearest(static_cast<double>(-product.im), exact.sin)) << k << "/" << n;
  }
}

TEST(RootsOfUnity, AreExactAtQuartersAndSymmetricToTheBit) {
  EXPECT_EQ(root_of_unity(5, 20).re, 0);
  EXPECT_EQ(root_of_unity(5, 20).im, -1);
  EXPECT_EQ(root_of_unity(10, 20).re, -1);
  EXPECT_EQ(root_of_unity(10, 20).im, 0);
  for (Index k = 0; k <= 360; ++k) {
    EXPECT_EQ(root_of_unity(k, 360).re, root_of_unity(-k, 360).re);
    EXPECT_EQ(root_of_unity(k, 360).im, -root_of_unity(360 - k, 360).im);
    EXPECT_EQ(root_of_unity(k, 360).re, -root_of_unity(k + 90, 360).im);
  }
}

TEST(RootsOfUnity, AreAvailableToTheCompiler) {
  constexpr Root eighth = root_of_unity(1, 8);
  static_assert(eighth.re == -eighth.im);
  static_assert(static_cast<double>(eighth.re) == 0x1.6a09e667f3bcdp-1);
  static_assert(static_cast<float>(eighth.re) == 0x1.6a09e6p-1F);
}

}  // namespace
}  // namespace shardfft::native
