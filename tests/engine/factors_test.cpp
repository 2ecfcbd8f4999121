#include "engine/native/factors.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/native/step.hpp"

namespace shardfft::native {
namespace {

Index product_of(const std::vector<int>& radices) { return std::accumulate(radices.begin(), radices.end(), Index{1}, std::multiplies()); }

TEST(Decompositions, HaveTheInnerLengthAsTheirProduct) {
  for (Index n = 1; n <= 3000; ++n) {
    const Decomposition how = decompose(n);
    ASSERT_EQ(how.n, n);
    ASSERT_EQ(product_of(how.radices), how.inner) << n;
    ASSERT_TRUE(how.method != Method::passes || how.inner == n) << n;
    ASSERT_TRUE(how.method != Method::rader || (is_prime(n) && how.inner == n - 1)) << n;
    ASSERT_TRUE(how.method != Method::bluestein || how.inner >= 2 * n - 1) << n;
    for (const int radix : how.radices) ASSERT_TRUE(radix > 1 && radix <= max_radix) << n;
  }
}

TEST(Decompositions, UseNoConvolutionWhereAllFactorsAreSmall) {
  for (const Index n : {64, 100, 143, 360, 500, 1000, 1024, 2310, 4096, 30030}) EXPECT_EQ(decompose(n).method, Method::passes) << n;
}

TEST(Decompositions, UseAConvolutionForLargePrimes) {
  for (const Index n : {197, 233, 257, 65537}) EXPECT_EQ(decompose(n).method, Method::rader) << n;
  EXPECT_EQ(decompose(2039).method, Method::bluestein);  // 2038 = 2 * 1019
}

TEST(Decompositions, OfHugeLengthsAreFoundAtOnce) { EXPECT_EQ(product_of(decompose(Index{1} << 40).radices), Index{1} << 40); }

}  // namespace
}  // namespace shardfft::native
