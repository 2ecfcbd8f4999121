#include "engine/native/four_step/four_step_factors.hpp"

#include <gtest/gtest.h>

namespace shardfft::native {
namespace {

constexpr TileShape shapes[] = {{8, false}, {8, true}, {16, false}, {16, true}};

TEST(HalvesOfALength, HaveItAsTheirProductAndAreLongEnough) {
  for (const TileShape& shape : shapes)
    for (const Index n : {1024, 4096, 6561, 10000, 65536, 999999, 1 << 20, 1594323}) {
      const auto way = four_step_factors(n, shape);
      ASSERT_TRUE(way) << n;
      EXPECT_EQ(way->halves.length(), n);
      EXPECT_GE(way->halves.first, least_factor) << n;
      EXPECT_GE(way->halves.second, least_factor) << n;
    }
}

TEST(HalvesOfALength, AreNotThereForPrimesAndForFactorsThatAreTooShort) {
  for (const TileShape& shape : shapes)
    for (const Index n : {1000, 31 * 1009, 2 * 10007, 65537}) EXPECT_FALSE(four_step_factors(n, shape)) << n;
}

TEST(HalvesOfALength, AreNotFarFromOneAnother) {
  for (int power = 12; power <= 26; ++power) {
    const FourStepFactors h = four_step_factors(Index{1} << power, {})->halves;
    EXPECT_LE(std::max(h.first, h.second), 16 * std::min(h.first, h.second)) << "2^" << power;
  }
}

TEST(HalvesOfAtLeastALength, AreNotMuchLonger) {
  for (const TileShape& shape : shapes)
    for (const Index least : {1, 1024, 8191, 20013, 200005, 2000005, 8388601}) {
      const FourStepFactors h = four_step_factors_at_least(least, shape).halves;
      EXPECT_GE(h.length(), least);
      EXPECT_LE(h.length(), std::max<Index>(1024, least + least / 5)) << least;
    }
}

}  // namespace
}  // namespace shardfft::native
