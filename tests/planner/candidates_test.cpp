// Process grids that stages may have.
#include "planner/decide/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "shardfft/error.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

int cuts(const Coord& grid) {
  return static_cast<int>(std::count_if(grid.begin(), grid.end(), [](Index p) { return p > 1; }));
}

// Most ranks that any of the grids gives work to.
Index most_busy(const std::vector<Coord>& grids) {
  Index most = 0;
  for (const Coord& grid : grids) most = std::max(most, product(grid));
  return most;
}

TEST(StageGrids, LeaveTheAxisWholeFitTheRanksAndCutNoAxisIntoMorePartsThanElements) {
  std::mt19937_64 random(71);
  for (const char* decomposition : {"", "slab", "pencil", "brick"})
    for (int i = 0; i < 200; ++i) {
      const Shape shape = small_shape(random, 4, i % 2 ? 6 : 60);
      const int ranks = static_cast<int>(pick(random, 1, i % 3 ? 20 : 200)),
                axis = static_cast<int>(pick(random, 0, shape.dims() - 1));
      const auto grids =
          stage_grids(shape, axis, ranks,
                      {.decomposition = decomposition, .fewer = fewer_ranks(check({.shape = shape}), ranks, 4)});
      EXPECT_FALSE(grids.empty());
      for (const Coord& grid : grids) {
        SCOPED_TRACE(std::string(decomposition) + " " + to_string(shape) + " along " + std::to_string(axis) + " over " +
                     std::to_string(ranks) + ": " + to_string(grid));
        EXPECT_EQ(grid[axis], 1);
        EXPECT_LE(product(grid), ranks);
        for (int a = 0; a < shape.dims(); ++a) EXPECT_LE(grid[a], shape[a]);
        EXPECT_TRUE(std::string(decomposition) != "slab" || cuts(grid) <= 1);
        EXPECT_TRUE(std::string(decomposition) == "brick" || cuts(grid) <= 2);
        EXPECT_EQ(std::count(grids.begin(), grids.end(), grid), 1) << "listed twice";
      }
    }
}

TEST(StageGrids, GiveWorkToMostRanksOfACubeHoweverManyThereAre) {
  const Shape cube{256, 256, 256};
  for (const int ranks : {1, 2, 3, 7, 61, 64, 67, 100, 127, 257, 509, 1021, 4099})
    for (const char* decomposition : {"", "pencil"})
      EXPECT_GE(2 * most_busy(stage_grids(cube, 0, ranks, {.decomposition = decomposition})), ranks)
          << "'" << decomposition << "' over " << ranks;
}

TEST(StageGrids, OfFewerRanksAreThereIfAskedFor) {
  const auto all = stage_grids({32, 32, 32}, 0, 12, {}), idle = stage_grids({32, 32, 32}, 0, 12, {.fewer = {6, 3, 1}});
  for (const Coord& grid : all) EXPECT_EQ(std::count(idle.begin(), idle.end(), grid), 1) << to_string(grid);
  for (const Coord& grid : {Coord{1, 6, 1}, Coord{1, 1, 3}, Coord{1, 1, 1}}) {
    EXPECT_EQ(std::count(all.begin(), all.end(), grid), 0) << to_string(grid);
    EXPECT_EQ(std::count(idle.begin(), idle.end(), grid), 1) << to_string(grid);
  }
}

TEST(StageGrids, OfOneDimensionIsTheWholeArray) { EXPECT_EQ(stage_grids({100}, 0, 8, {}), (std::vector<Coord>{{1}})); }

TEST(StageGrids, TakeTheGivenFactorsInAxisOrderOverEveryChoiceOfAxes) {
  EXPECT_EQ(stage_grids({8, 8, 8}, 1, 6, {.ranks_grid = {2, 3}}), (std::vector<Coord>{{2, 1, 3}}));
  const auto four = stage_grids({8, 8, 8, 8}, 0, 6, {.ranks_grid = {2, 3}});
  EXPECT_EQ(four, (std::vector<Coord>{{1, 2, 3, 1}, {1, 2, 1, 3}, {1, 1, 2, 3}}));
  EXPECT_EQ(stage_grids({8, 8, 8}, 2, 6, {.ranks_grid = {2, 1, 3}}), (std::vector<Coord>{{2, 3, 1}}))
      << "one number per axis of the array: the ones are left out";
}

TEST(StageGrids, RefuseFactorsThatDoNotFit) {
  EXPECT_THROW((void)stage_grids({8, 8, 8}, 0, 5, {.ranks_grid = {2, 3}}), Error);
  EXPECT_THROW((void)stage_grids({8, 8}, 0, 6, {.ranks_grid = {2, 3}}), Error);
}

}  // namespace
}  // namespace shardfft::testing
