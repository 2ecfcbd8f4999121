#include "engine/native/roots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace shardfft::native {
namespace {

TEST(RootsOfUnity, AgreeWithTheMathLibraryToTheLastBits) {
  const long double ulp = std::numeric_limits<long double>::epsilon();
  for (const Index n : {1, 2, 3, 5, 7, 8, 12, 100, 1021})
    for (Index k = 0; k < n; ++k) {
      const Root w = root_of_unity(k, n);
      const long double angle =
          -2 * std::acos(-1.0L) * static_cast<long double>(2 * k <= n ? k : k - n) / static_cast<long double>(n);
      EXPECT_NEAR(static_cast<double>((w.re - std::cos(angle)) / ulp), 0, 3) << k << "/" << n;
      EXPECT_NEAR(static_cast<double>((w.im - std::sin(angle)) / ulp), 0, 3) << k << "/" << n;
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
  EXPECT_NEAR(static_cast<double>(eighth.re * eighth.re), 0.5, 1e-18);
}

}  // namespace
}  // namespace shardfft::native
