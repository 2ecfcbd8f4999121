// Cells against plain counting.
#include "grid/cells.hpp"

#include <gtest/gtest.h>

#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

TEST(Cells, CoverABoxOnceCutItAtGlobalMultiplesAndAreFoundAgain) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const int dims = static_cast<int>(pick(random, 1, 4));
    Box box{Coord::filled(dims, 0), Coord::filled(dims, 0)};
    Coord steps = Coord::filled(dims, 1);
    for (int a = 0; a < dims; ++a) {
      box.lo[a] = pick(random, 0, 20);
      box.hi[a] = box.lo[a] + pick(random, 1, 9);
      steps[a] = pick(random, 1, 12);
    }
    const Cells cells(box, steps);
    Index seen = 0;
    for (Index c = 0; c < cells.count(); ++c) {
      const Box cell = cells.cell(c);
      ASSERT_FALSE(cell.empty()) << "seed " << seed;
      EXPECT_EQ(intersect(cell, box), cell) << "seed " << seed;
      for (int a = 0; a < dims; ++a) {
        EXPECT_EQ(cell.lo[a] / steps[a], (cell.hi[a] - 1) / steps[a]) << "a cell lies in one multiple; seed " << seed;
        EXPECT_LE(cell.extent(a), cells.largest()[a]);
      }
      EXPECT_EQ(cells.number_of(cell.lo), c) << "seed " << seed;
      seen += cell.count();
    }
    EXPECT_EQ(seen, box.count()) << "seed " << seed;
  }
}

TEST(Cells, OfAnEmptyBoxAreNone) { EXPECT_EQ(Cells(Box{{3, 2}, {3, 5}}, {2, 2}).count(), 0); }

}  // namespace
}  // namespace shardfft::testing
