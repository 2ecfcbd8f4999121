#include "engine/native/factors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/native/step.hpp"

namespace shardfft::native {
namespace {

using Radices = std::vector<Index>;

Index product_of(const std::vector<Index>& radices) {
  return std::accumulate(radices.begin(), radices.end(), Index{1}, std::multiplies());
}

bool is_prime(Index n) {
  for (Index p = 2; p * p <= n; ++p)
    if (n % p == 0) return false;
  return n > 1;
}

void expect_right_way(Index prime) {
  const PrimeWay way = prime_way(prime);
  if (way.method == Method::direct) { EXPECT_LE(prime, max_radix); }
  if (way.method == Method::rader) { EXPECT_EQ(way.inner.n, prime - 1); }
  if (way.method == Method::bluestein) { EXPECT_GE(2 * half_blocks * way.inner.n, 2 * prime - 1); }
  EXPECT_EQ(product_of(way.inner.radices), way.inner.n) << prime;
}

TEST(Decompositions, HaveTheLengthAsTheirProduct) {
  for (Index n = 1; n <= 3000; ++n) {
    const Decomposition how = decompose(n);
    ASSERT_EQ(how.n, n);
    ASSERT_EQ(product_of(how.radices), n);
    for (const Index radix : how.radices) {
      ASSERT_GT(radix, 1) << n;
      ASSERT_TRUE(is_own_radix(radix) || is_prime(radix)) << n;
      if (!is_own_radix(radix)) expect_right_way(radix);
    }
  }
}

TEST(Decompositions, UseNoConvolutionForSmallPrimes) {
  for (const Index prime : {17, 19, 23, 29, 31}) EXPECT_EQ(prime_way(prime).method, Method::direct) << prime;
}

TEST(Decompositions, UseAConvolutionForLargePrimes) {
  for (const Index prime : {197, 233, 257, 65537}) EXPECT_EQ(prime_way(prime).method, Method::rader) << prime;
  EXPECT_EQ(prime_way(2039).method, Method::bluestein);  // 2038 = 2 * 1019
  for (const Index prime : {733, 1181, 1889})
    EXPECT_EQ(prime_way(prime).method, Method::bluestein)
        << prime;  // their convolutions would have a radix of 59 or 61
  for (const Index prime : {821, 1277}) EXPECT_EQ(prime_way(prime).method, Method::rader) << prime;  // of 41 or 29
}

TEST(Decompositions, UseAConvolutionForThePrimeFactorOnly) {
  EXPECT_EQ(decompose(2 * 197).radices, (Radices{197, 2}));
  EXPECT_EQ(decompose(4 * 251).radices, (Radices{251, 4}));
}

TEST(Decompositions, OfHugeLengthsAreFoundAtOnce) {
  EXPECT_EQ(product_of(decompose(Index{1} << 40).radices), Index{1} << 40);
}

TEST(Decompositions, AcrossPlanesReadSixteenRowsAtATime) {
  EXPECT_EQ(decompose(256, {.strided = true}).radices, (Radices{16, 4, 4}));
  EXPECT_EQ(decompose(512, {.strided = true}).radices, (Radices{16, 8, 4}));
  EXPECT_EQ(decompose(320, {.strided = true}).radices, (Radices{16, 5, 4}));
  EXPECT_EQ(decompose(128, {.strided = true}).radices, (Radices{16, 8}));
  for (Index n = 1; n <= 4096; ++n) { ASSERT_EQ(product_of(decompose(n, {.strided = true}).radices), n); }
}

TEST(Decompositions, BeginWithWholeVectorsWherePencilsMayBeContiguous) {
  EXPECT_EQ(decompose(200, {.lanes = 8}).radices, (Radices{8, 5, 5}));
  EXPECT_EQ(decompose(640, {.lanes = 8}).radices, (Radices{8, 10, 8}));
  EXPECT_EQ(decompose(96, {.lanes = 8}).radices, (Radices{8, 12}));
  EXPECT_EQ(decompose(72, {.lanes = 8}).radices, (Radices{8, 9}));
  EXPECT_EQ(decompose(640).radices, (Radices{10, 8, 8}));
  EXPECT_EQ(decompose(512, {.lanes = 16}).radices, (Radices{16, 4, 8}));
  EXPECT_EQ(decompose(240, {.lanes = 16}).radices, (Radices{16, 3, 5}))
      << "15 columns, whose two halves of a vector overlap";
  EXPECT_EQ(decompose(112, {.lanes = 16}).radices, (Radices{16, 7})) << "too few columns";
  EXPECT_EQ(decompose(512, {.lanes = 8}).radices, (Radices{8, 8, 8}));
  for (Index n = 1; n <= 4096; ++n)
    for (const Index lanes : {8, 16}) {
      const Radices radices = decompose(n, {.lanes = lanes}).radices;
      ASSERT_EQ(product_of(radices), n);
      const auto fills = [&](Index radix) { return radix % lanes == 0; };
      if (radices.size() > 1 && std::ranges::any_of(radices, fills)) {
        ASSERT_TRUE(fills(radices.front())) << n << ", " << lanes << " lanes";
      }
    }
}

TEST(Decompositions, FillVectorsOfEightWherePencilsMayBeContiguous) {
  EXPECT_EQ(decompose(150, {.lanes = 8}).radices, (Radices{10, 3, 5}));
  EXPECT_EQ(decompose(150).radices, (Radices{6, 5, 5}));
  for (const Index n : {64, 100, 126, 150, 210, 300, 500, 720, 750, 1000, 1080, 1500, 1920, 2000})
    EXPECT_TRUE(fills_vectors(n, 8)) << n;
  for (const Index n : {8, 67, 352, 416}) EXPECT_FALSE(fills_vectors(n, 8)) << n;
}

TEST(Decompositions, FillVectorsOfHalfTheWidthWhereTheyDoNotFillWholeOnes) {
  for (const Index n : {64, 100, 1000, 1920, 2000}) EXPECT_TRUE(fills_vectors(n, 16)) << n;
  for (const Index n : {125, 343}) EXPECT_TRUE(fills_vectors(n, 8)) << n;
  for (const Index n : {125, 343}) EXPECT_FALSE(fills_vectors(n, 16)) << n << ": radices 5 and 7";
}

TEST(Decompositions, HaveASecondRadixOfSixteenOnlyOf256) {
  EXPECT_EQ(decompose(256).radices, (Radices{16, 16}));
  for (const Index n : {32, 64, 128, 512, 1024, 2048, 4096, 65536}) {
    const Radices radices = decompose(n).radices;
    EXPECT_EQ(std::count(radices.begin() + 1, radices.end(), 16), 0) << n;
  }
}

}  // namespace
}  // namespace shardfft::native
