#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "device/random_boxes.hpp"

namespace shardfft::testing {
namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

Pairs pairs_of(const std::vector<BoxMove>& boxes) {
  Pairs all;
  for (const BoxMove& box : boxes) for_elements(box, [&](Index from, Index to) { all.emplace_back(from, to); });
  std::ranges::sort(all);
  return all;
}

TEST(SimplifiedMoves, KeepThePairsOfPlacesAndHaveNoAxisTooMany) {
  constexpr std::uint64_t seed = 21;
  Random random(seed);
  const MoveSpec spec{.scalar = Scalar::f64, .complex = true};
  for (int i = 0; i < 2000; ++i) {
    Index from = 0, to = 0;
    const BoxMove box = random_box(random, spec, 500, from, to);
    SCOPED_TRACE(text(box) + ", seed " + std::to_string(seed) + ", case " + std::to_string(i));
    const auto simple = simplified({box}, spec.element_bytes());
    ASSERT_EQ(simple.size(), 1u);
    EXPECT_EQ(pairs_of(simple), pairs_of({box}));
    const BoxMove& s = simple[0];
    EXPECT_GE(s.axes, 1);
    EXPECT_LE(s.axes, std::max(1, box.axes));
    for (int a = 0; a < s.axes; ++a) EXPECT_TRUE(s.extent[a] > 1 || s.axes == 1);
    for (int a = 1; a < s.axes; ++a) {
      EXPECT_GE(std::abs(s.to_step[a - 1]), std::abs(s.to_step[a]));
      EXPECT_FALSE(s.from_step[a - 1] == s.extent[a] * s.from_step[a] &&
                   s.to_step[a - 1] == s.extent[a] * s.to_step[a]);
    }
    if (HasFailure()) return;
  }
}

TEST(SimplifiedMoves, OfAWholeArrayAreOneRun) {
  const BoxMove box{
      .axes = 3, .from = 8, .to = 16, .extent = {4, 5, 6}, .from_step = {480, 96, 16}, .to_step = {480, 96, 16}};
  const auto simple = simplified({box}, 16);
  ASSERT_EQ(simple.size(), 1u);
  EXPECT_EQ(simple[0].axes, 1);
  EXPECT_EQ(simple[0].extent[0], 120);
  EXPECT_EQ(simple[0].to_step[0], 16);
}

TEST(SimplifiedMoves, LeaveOutBoxesWithoutElementsAndKeepTheirBases) {
  const BoxMove empty{.axes = 2, .extent = {3, 0}, .from_step = {8, 8}, .to_step = {8, 8}};
  const BoxMove one{.axes = 0, .from_base = MoveBase::work, .to_base = MoveBase::output, .from = 24, .to = 32};
  const auto simple = simplified({empty, one, empty}, 8);
  ASSERT_EQ(simple.size(), 1u);
  EXPECT_EQ(simple[0].from_base, MoveBase::work);
  EXPECT_EQ(simple[0].to_base, MoveBase::output);
  EXPECT_EQ(simple[0].axes, 1);
  EXPECT_EQ(simple[0].extent[0], 1);
}

}  // namespace
}  // namespace shardfft::testing
