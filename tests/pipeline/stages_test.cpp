// Stages and their reversal.
#include "pipeline/route/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

std::string text_of(const std::vector<Stage>& stages) {
  std::string text;
  for (const Stage& stage : stages) {
    text += to_string(stage.in.spec()) + " of " + to_string(stage.in.global()) + " -> " + to_string(stage.out.spec()) +
            " of " + to_string(stage.out.global()) + ":";
    for (const AxisTransform& a : stage.axes)
      text += " " + std::to_string(a.axis) + " " + std::to_string(a.n) + " " + std::string(name(a.transform));
    text += "; ";
  }
  return text;
}

std::vector<Stage> example() {
  const Shape space{8, 6, 10}, spectrum{8, 6, 6};
  const Layout in(process_grid({2, 2, 1}), space, 4), after(process_grid({2, 2, 1}), spectrum, 4),
      last(process_grid({1, 2, 2}), spectrum, 4);
  return {{{{2, 10, Transform1d::r2c}}, in, after},
          {{{1, 6, Transform1d::forward}, {0, 8, Transform1d::backward}}, last, last}};
}

TEST(Stages, ReversedTwiceAreTheSame) {
  EXPECT_EQ(text_of(reversed(reversed(example()))), text_of(example()));
  EXPECT_TRUE(reversed({}).empty());
}

TEST(Stages, ReversedRunBackwardsWithInverseTransforms) {
  EXPECT_EQ(text_of(reversed(example())),
            "grid:1x2x2 of 8 x 6 x 6 -> grid:1x2x2 of 8 x 6 x 6: 0 8 forward 1 6 backward; "
            "grid:2x2x1 of 8 x 6 x 6 -> grid:2x2x1 of 8 x 6 x 10: 2 10 c2r; ");
}

TEST(WithExtent, ChangesNothingButTheLengthAlongTheAxis) {
  std::mt19937_64 random(111);
  int looked_at = 0;
  for (int i = 0; i < 150; ++i) {
    const int ranks = static_cast<int>(pick(random, 1, 9));
    const Shape shape = small_shape(random, 4, 7);
    for (const LayoutSpec& spec : layouts_of_every_kind(random, shape, ranks)) {
      const Layout before(spec, shape, ranks);
      for (int axis = 0; axis < shape.dims(); ++axis) {
        if (!before.is_whole_along(axis)) continue;
        ++looked_at;
        const Index n = shape[axis] / 2 + 1;
        const Layout after = with_extent(before, axis, n);
        Shape expected_shape = shape;
        expected_shape[axis] = n;
        EXPECT_EQ(after.global(), expected_shape);
        EXPECT_TRUE(std::is_sorted(after.order().begin(), after.order().end()));
        for (int rank = 0; rank < ranks; ++rank) {
          auto boxes = before.boxes(rank);
          for (Box& box : boxes) box.hi[axis] = n;
          EXPECT_EQ(after.boxes(rank), boxes) << to_string(spec) << " of " << to_string(shape) << " over " << ranks
                                              << ", axis " << axis << ", rank " << rank;
        }
      }
    }
  }
  EXPECT_GT(looked_at, 500);
}

}  // namespace
}  // namespace shardfft::testing
