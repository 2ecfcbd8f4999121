// Walks and tilings: every pencil once.
#include "sweep/pencils.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/problems/layouts.hpp"
#include "sweep/host/tiling.hpp"

namespace shardfft::testing {
namespace {

Box shifted_box(std::mt19937_64& random) {
  Box box = whole(small_shape(random, 4, 9));
  for (int a = 0; a < box.dims(); ++a) {
    const Index shift = pick(random, 0, 5);
    box.lo[a] += shift;
    box.hi[a] += shift;
  }
  return box;
}

// Any walk that is possible, whether choose_walk would take it or not.
Walk random_walk(std::mt19937_64& random, const Box& box) {
  Walk walk{.axis = static_cast<int>(pick(random, 0, box.dims() - 1))};
  const int lane = static_cast<int>(pick(random, 0, box.dims() - 1));
  bool single = true;  // without a lane there is one pencil
  for (int a = 0; a < box.dims(); ++a) single = single && (a == walk.axis || box.extent(a) == 1);
  if (lane != walk.axis) {
    walk.lane = lane;
  } else if (!single) {
    for (int a = 0; a < box.dims(); ++a)
      if (a != walk.axis && box.extent(a) > 1) walk.lane = a;
  }
  walk.across = walk.lane >= 0 && pick(random, 0, 1) == 1;
  return walk;
}

bool less(const Coord& a, const Coord& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

TEST(PencilAt, NumbersEveryPencilOfTheBoxOnceRowByRow) {
  std::mt19937_64 random(51);
  for (int i = 0; i < 300; ++i) {
    const Box box = shifted_box(random);
    const Walk walk = random_walk(random, box);
    Box starts = box;
    starts.hi[walk.axis] = box.lo[walk.axis] + 1;
    EXPECT_EQ(pencil_count(box, walk), starts.count());
    std::map<Coord, int, decltype(&less)> seen(&less);
    for (Index p = 0; p < pencil_count(box, walk); ++p) {
      const PencilAt pencil = pencil_at(box, walk, p);
      EXPECT_TRUE(starts.contains(pencil.at));
      ++seen[pencil.at];
      const Index left = walk.lane < 0 ? 1 : box.hi[walk.lane] - pencil.at[walk.lane];
      EXPECT_EQ(pencil.left_in_row, left);
      if (left == 1 || p + 1 == pencil_count(box, walk)) continue;
      Coord next = pencil.at;
      ++next[walk.lane];
      EXPECT_EQ(pencil_at(box, walk, p + 1).at, next);
    }
    EXPECT_EQ(static_cast<Index>(seen.size()), starts.count());
  }
}

TEST(Tiling, TakesEveryPencilOnceInTilesThatAreNotTooLarge) {
  std::mt19937_64 random(52);
  for (int i = 0; i < 400; ++i) {
    const Box box = shifted_box(random);
    const Walk walk = random_walk(random, box);
    const int pencils = static_cast<int>(pick(random, 1, 12));
    const Tiling tiling(box, walk, pencils);
    Index next = 0;
    for (Index t = 0; t < tiling.count(); ++t) {
      EXPECT_EQ(tiling.first(t), next);
      EXPECT_TRUE(0 < tiling.size(t) && tiling.size(t) <= pencils);
      if (!walk.across) {
        EXPECT_LE(tiling.size(t), pencil_at(box, walk, tiling.first(t)).left_in_row) << "goes on in the next row";
      }
      next += tiling.size(t);
    }
    EXPECT_EQ(next, pencil_count(box, walk));
    if (walk.across) {
      EXPECT_EQ(tiling.count(), (pencil_count(box, walk) + pencils - 1) / pencils) << "only the last tile is not full";
    }
  }
}

TEST(Tiling, TakesEveryPencilOnceWhereFirstTilesOfRowsAreShort) {
  std::mt19937_64 random(55);
  for (int i = 0; i < 400; ++i) {
    const Box box = shifted_box(random);
    Walk walk = random_walk(random, box);
    walk.across = false;
    const int pencils = static_cast<int>(pick(random, 4, 12));
    const Tiling tiling(box, walk, pencils, 3);
    Index next = 0;
    for (Index t = 0; t < tiling.count(); ++t) {
      const Index ahead = tiling.row(t) * 7 % 4, size = tiling.size(t, ahead);
      EXPECT_EQ(tiling.first(t, ahead), next);
      EXPECT_TRUE(0 <= size && size <= pencils);
      if (size > 0) {
        const PencilAt at = pencil_at(box, walk, next);
        const Index in_row = walk.lane < 0 ? 0 : at.at[walk.lane] - box.lo[walk.lane];
        EXPECT_LE(size, at.left_in_row) << "goes on in the next row";
        EXPECT_TRUE(size == at.left_in_row || (in_row + ahead + size) % pencils == 0)
            << "ends elsewhere than a line does";
      }
      next += size;
    }
    EXPECT_EQ(next, pencil_count(box, walk));
  }
}

TEST(Tiling, OfFullTilesTakesEveryPencilOnceOrTwiceAndNeverGoesOnInTheNextRow) {
  std::mt19937_64 random(56);
  int tested = 0;
  for (int i = 0; i < 400; ++i) {
    const Box box = shifted_box(random);
    Walk walk = random_walk(random, box);
    if (walk.lane < 0) continue;
    walk.across = false;
    const Index row = box.extent(walk.lane), pencils = pick(random, 1, row);
    const Tiling tiling(box, walk, static_cast<int>(pencils), 0, true);
    std::vector<int> times(static_cast<std::size_t>(pencil_count(box, walk)));
    for (Index t = 0; t < tiling.count(); ++t) {
      EXPECT_EQ(tiling.size(t), pencils);
      EXPECT_LE(pencils, pencil_at(box, walk, tiling.first(t)).left_in_row) << "goes on in the next row";
      for (Index p = tiling.first(t); p < tiling.first(t) + pencils; ++p) ++times[static_cast<std::size_t>(p)];
    }
    EXPECT_EQ(tiling.count(), pencil_count(box, walk) / row * ((row + pencils - 1) / pencils));
    for (const int n : times) EXPECT_TRUE(n == 1 || n == 2) << n;
    ++tested;
  }
  EXPECT_GT(tested, 200);
}

TEST(Tiling, OfAnEmptyBoxHasNoTiles) { EXPECT_EQ(Tiling({{0, 0}, {5, 0}}, {.axis = 0, .lane = 1}, 8).count(), 0); }

TEST(ChooseWalk, TakesAnAxisWithPencilsAndNeverTheTransformedOne) {
  std::mt19937_64 random(53);
  for (int i = 0; i < 300; ++i) {
    const Box box = shifted_box(random);
    const int axis = static_cast<int>(pick(random, 0, box.dims() - 1));
    const Coord strides = packed_strides(box.shape(), Layout(bricks(), box.shape(), 1).order(), 8, false);
    const Walk walk = choose_walk(box, axis, static_cast<int>(pick(random, 1, 16)), strides, strides);
    EXPECT_EQ(walk.axis, axis);
    EXPECT_NE(walk.lane, axis);
    EXPECT_EQ(walk.lane < 0, pencil_count(box, walk) == 1);
    EXPECT_TRUE(walk.lane < 0 || box.extent(walk.lane) > 1);
  }
}

TEST(ChooseWalk, PrefersContiguousMemoryWhereThatFillsTheTiles) {
  const Box box = whole({64, 64, 64});
  EXPECT_EQ(choose_walk(box, 0, 8, {65536, 1024, 16}, {65536, 1024, 16}).lane, 2);
  EXPECT_EQ(choose_walk(box, 2, 8, {16, 65536, 1024}, {16, 65536, 1024}).lane, 0);
  EXPECT_FALSE(choose_walk(box, 0, 8, {65536, 1024, 16}, {65536, 1024, 16}).across);
}

TEST(ChooseWalk, GoesOnInTheNextRowWhereRowsAreShort) {
  const Walk walk = choose_walk(whole({64, 5, 3}), 0, 8, {240, 48, 16}, {240, 48, 16});
  EXPECT_TRUE(walk.across);
  EXPECT_FALSE(choose_walk(whole({64, 5, 16}), 0, 8, {1280, 256, 16}, {1280, 256, 16}).across);
}

TEST(ChooseWalk, KeepsToRowsThatAreStoredPastTheCacheInWholeLines) {
  const Box box = whole({64, 5, 33});  // the fifth tile of eight has one pencil
  const Coord in_lines{5 * 576, 576, 16}, ragged{5 * 528, 528, 16};
  EXPECT_TRUE(choose_walk(box, 0, 8, ragged, in_lines).across);
  EXPECT_FALSE(choose_walk(box, 0, 8, ragged, in_lines, 16).across);
  EXPECT_TRUE(choose_walk(box, 0, 8, in_lines, ragged, 16).across) << "lines are written in parts anyway";
  EXPECT_TRUE(choose_walk(whole({64, 5, 3}), 0, 8, {320, 64, 16}, {320, 64, 16}, 16).across)
      << "most lanes would be empty";
}

}  // namespace
}  // namespace shardfft::testing
