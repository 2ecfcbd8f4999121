// Process grids against all ways to write the number of ranks as a product.
#include "grid/process_grids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

// Elements of the largest box, then its surface.
std::pair<Index, Index> size_and_surface(const Shape& shape, const Coord& grid) {
  const Shape box = Layout(process_grid(grid), shape, static_cast<int>(product(grid)))
                        .boxes(0)
                        .front()
                        .shape();  // the first box is the largest
  Index surface = 0;
  for (int a = 0; a < shape.dims(); ++a) surface += 2 * product(box) / box[a];
  return {product(box), surface};
}

std::pair<Index, Index> least(const Shape& shape, const std::vector<int>& axes, int ranks) {
  std::pair<Index, Index> best{std::numeric_limits<Index>::max(), 0};
  Coord grid = Coord::filled(shape.dims(), 1);
  const std::function<void(std::size_t, Index)> choose = [&](std::size_t i, Index left) {
    if (i == axes.size()) {
      if (left == 1) best = std::min(best, size_and_surface(shape, grid));
      return;
    }
    for (Index p = 1; p <= left; ++p)
      if (left % p == 0) {
        grid[axes[i]] = p;
        choose(i + 1, left / p);
      }
    grid[axes[i]] = 1;
  };
  choose(0, ranks);
  return best;
}

Shape random_shape_with_ties(std::mt19937_64& random, int dims) {
  Shape shape = Coord::filled(dims, 1);
  for (int a = 0; a < dims; ++a) shape[a] = a > 0 && pick(random, 0, 2) == 0 ? shape[a - 1] : pick(random, 1, 40);
  return shape;
}

TEST(HoldsAtMost, CountsTheProcessesOfAGridWhateverItsNumbers) {
  constexpr Index huge = Index{1} << 62;
  EXPECT_TRUE(holds_at_most({2, 3}, 6));
  EXPECT_TRUE(holds_at_most({}, 1));
  for (const Coord& grid : {Coord{2, 4}, Coord{huge, huge}, Coord{0, 2}, Coord{2, 0}, Coord{-2, -1}})
    EXPECT_FALSE(holds_at_most(grid, 6)) << to_string(grid);
}

TEST(BrickGrid, UsesAllRanksAndNoOtherGridHasASmallerLargestBoxOrSurface) {
  std::mt19937_64 random(21);
  for (int ranks = 1; ranks <= 64; ++ranks)
    for (int i = 0; i < 4; ++i) {
      const Shape shape = random_shape_with_ties(random, static_cast<int>(pick(random, 1, 4)));
      std::vector<int> axes;
      for (int a = 0; a < shape.dims(); ++a) axes.push_back(a);
      const Coord grid = brick_grid(shape, ranks);
      EXPECT_EQ(product(grid), product(shape) > 1 ? ranks : 1);
      EXPECT_EQ(size_and_surface(shape, grid), least(shape, axes, ranks))
          << to_string(shape) << " over " << ranks << ": " << to_string(grid);
    }
}

TEST(BrickGrid, CutsTheLongAxesOfArraysWithManyDimensions) {
  const Coord grid = brick_grid({2, 2, 2, 2, 1000, 1000}, 64);
  EXPECT_EQ(size_and_surface({2, 2, 2, 2, 1000, 1000}, grid).first, 16 * 1000 * 1000 / 64) << to_string(grid);
}

TEST(BrickGrid, CutsFourAxesAndNoMore) {
  EXPECT_EQ(brick_grid({6, 6, 6, 6, 6}, 16), (Coord{2, 2, 2, 2, 1}));
  EXPECT_EQ(brick_grid({6, 6, 6, 6, 6}, 32), (Coord{2, 2, 2, 4, 1}));
}

TEST(BrickGrid, IsACubeForACube) {
  EXPECT_EQ(brick_grid({64, 64, 64}, 8), (Coord{2, 2, 2}));
  EXPECT_EQ(brick_grid({64, 64, 64}, 27), (Coord{3, 3, 3}));
}

TEST(PencilGrid, UsesAllRanksOverTheTwoLongestOtherAxesAndNoOtherGridThereIsBetter) {
  std::mt19937_64 random(22);
  for (int ranks = 1; ranks <= 64; ++ranks)
    for (int i = 0; i < 4; ++i) {
      const Shape shape = random_shape_with_ties(random, static_cast<int>(pick(random, 2, 5)));
      const int axis = static_cast<int>(pick(random, 0, shape.dims() - 1));
      std::vector<int> others;
      for (int a = 0; a < shape.dims(); ++a)
        if (a != axis) others.push_back(a);
      std::stable_sort(others.begin(), others.end(), [&](int a, int b) { return shape[a] > shape[b]; });
      if (others.size() > 2) others.resize(2);
      const Coord grid = pencil_grid(shape, axis, ranks);
      SCOPED_TRACE(to_string(shape) + " along " + std::to_string(axis) + " over " + std::to_string(ranks) + ": " +
                   to_string(grid));
      EXPECT_EQ(product(grid), ranks);
      for (int a = 0; a < shape.dims(); ++a)
        EXPECT_TRUE(grid[a] == 1 || std::find(others.begin(), others.end(), a) != others.end());
      EXPECT_EQ(size_and_surface(shape, grid), least(shape, others, ranks));
    }
}

TEST(PencilGrid, HasTheSmallerFactorFirstForACube) {
  for (int ranks = 1; ranks <= 64; ++ranks) {
    const Coord grid = pencil_grid({64, 64, 64}, 1, ranks);
    EXPECT_LE(grid[0], grid[2]) << ranks;
  }
  EXPECT_EQ(pencil_grid({64, 64, 64}, 2, 12), (Coord{3, 4, 1}));
}

TEST(PencilGrid, OfOneDimensionLeavesAllToTheFirstRank) { EXPECT_EQ(pencil_grid({100}, 0, 7), (Coord{1})); }

TEST(Divisors, AreAllOfThemAscending) {
  for (Index n = 1; n <= 200; ++n) {
    std::vector<Index> expected;
    for (Index d = 1; d <= n; ++d)
      if (n % d == 0) expected.push_back(d);
    EXPECT_EQ(divisors(n), expected);
  }
}

}  // namespace
}  // namespace shardfft::testing
