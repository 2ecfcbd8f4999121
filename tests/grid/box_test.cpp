// Boxes as sets of points.
#include "shardfft/box.hpp"

#include <gtest/gtest.h>

#include "shardfft/error.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

Box random_box(std::mt19937_64& random, int dims) {
  Box box{Coord::filled(dims, 0), Coord::filled(dims, 0)};
  for (int a = 0; a < dims; ++a) {
    box.lo[a] = pick(random, -3, 6);
    box.hi[a] = pick(random, -3, 6);
  }
  return box;
}

TEST(Box, IntersectionHoldsExactlyTheSharedPointsAndCommutes) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 400; ++i) {
    const int dims = static_cast<int>(pick(random, 1, 4));
    const Box a = random_box(random, dims), b = random_box(random, dims), shared = intersect(a, b);
    EXPECT_EQ(shared, intersect(b, a));
    EXPECT_EQ(intersect(a, a), a);
    Index points = 0;
    for_each({Coord::filled(dims, -3), Coord::filled(dims, 7)}, [&](const Coord& at) {
      EXPECT_EQ(shared.contains(at), a.contains(at) && b.contains(at));
      points += shared.contains(at);
    });
    EXPECT_EQ(shared.count(), points) << to_string(a) << " and " << to_string(b);
    EXPECT_EQ(shared.empty(), points == 0);
  }
}

TEST(Box, HasNoPointsHoweverLongTheOtherSidesOfAnEmptyOneAre) {
  const Box flat = whole({Index{1} << 40, Index{1} << 40, 0});
  EXPECT_TRUE(flat.empty());
  EXPECT_EQ(flat.count(), 0);
}

TEST(Box, WithoutAxesIsEmptyAndCountsNothing) {
  EXPECT_TRUE(Box{}.empty());
  EXPECT_EQ(Box{}.count(), 0);
}

TEST(Box, TurnedInsideOutHasExtentZero) {
  const Box inside_out{{5, 0}, {2, 3}};
  EXPECT_EQ(inside_out.extent(0), 0);
  EXPECT_EQ(inside_out.shape(), (Shape{0, 3}));
  EXPECT_EQ(inside_out.count(), 0);
}

TEST(Box, OfAnArrayStartsAtZeroAndEndsAtTheShape) {
  EXPECT_EQ(whole({4, 3}), (Box{{0, 0}, {4, 3}}));
  EXPECT_EQ(to_string(Box{{0, 2}, {4, 7}}), "[0,4)x[2,7)");
}

Status status_of_product(const Coord& c) {
  try {
    (void)product(c);
  } catch (const Error& e) { return e.status(); }
  return Status::ok;
}

TEST(Coord, ProductGoesUpToTheLargestIndexAndRefusesMore) {
  EXPECT_EQ(product({}), 1);
  EXPECT_EQ(product({Index{1} << 31, Index{1} << 31}), Index{1} << 62);
  EXPECT_EQ(product({std::numeric_limits<Index>::max(), 1}), std::numeric_limits<Index>::max());
  EXPECT_EQ(status_of_product({Index{1} << 32, Index{1} << 31}), Status::invalid_problem);
  EXPECT_EQ(status_of_product({Index{1} << 62, 2}), Status::invalid_problem);
}

TEST(Coord, HasAtMostEightNumbers) {
  EXPECT_EQ((Coord{1, 2, 3, 4, 5, 6, 7, 8}).dims(), 8);
  EXPECT_THROW((Coord{1, 2, 3, 4, 5, 6, 7, 8, 9}), Error);
}

TEST(Coord, DiffersFromALongerOneWithTheSameStart) {
  EXPECT_NE((Coord{2, 3}), (Coord{2, 3, 0}));
  EXPECT_EQ(to_string(Coord{512, 3, 1}), "512 x 3 x 1");
}

TEST(Box, MeetsWhereTheSharedBoxHasElements) {
  const Box a{{2, 3}, {5, 7}};
  for (Index lo = 0; lo < 8; ++lo)
    for (Index hi = lo + 1; hi < 9; ++hi)
      for (const Box& b : {Box{{lo, 0}, {hi, 9}}, Box{{0, lo}, {9, hi}}, Box{{lo, lo}, {hi, hi}}}) {
        EXPECT_EQ(meet(a, b), !intersect(a, b).empty()) << to_string(b);
        EXPECT_EQ(meet(b, a), meet(a, b)) << to_string(b);
      }
}

}  // namespace
}  // namespace shardfft::testing
