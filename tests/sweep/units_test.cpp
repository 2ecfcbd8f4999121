// Into how many shares a sweep is cut, and for how many threads.
#include <gtest/gtest.h>

#include "support/problems/layouts.hpp"
#include "sweep/units.hpp"

namespace shardfft::testing {
namespace {

struct Shares {
  Index units;
  int threads;
};

/// Units of a sweep over the last two axes of a cube.
Shares shares(Index n, int threads) {
  const Shape shape{n, n, n};
  const Coord strides = packed_strides(shape, {0, 1, 2}, 16, false);
  SweepSpec spec{.chunks = {{whole(shape)}},
                 .from = {{.box = whole(shape), .base = Base::input, .strides = strides}},
                 .to = {{.box = whole(shape), .base = Base::output, .strides = strides}}};
  spec.tuning.threads = threads;
  std::vector<TilePass> passes;
  for (const int axis : {2, 1}) {
    spec.axes.push_back({{.axis = axis, .n = n}, find_engine("native")->make({.n = n})});
    passes.emplace_back(spec.scalar, spec.axes.back(), TileWidth());
  }
  const Units units(0, spec, passes, nullptr);
  return {units.count(), units.threads()};
}

TEST(Units, AreAtLeastAsManyAsThreadsWhereEachHasEnoughToDo) {
  for (const int threads : {1, 2, 3, 4})
    for (const Index n : {16, 24, 32, 48}) {
      EXPECT_GE(shares(n, threads).units, threads) << n;
      EXPECT_EQ(shares(n, threads).threads, threads) << n;
    }
}

TEST(Units, OfAFewElementsAreForOneThread) {
  EXPECT_EQ(shares(8, 4).units, 1);
  EXPECT_EQ(shares(8, 4).threads, 1);
  EXPECT_EQ(shares(14, 4).threads, 2);
}

}  // namespace
}  // namespace shardfft::testing
