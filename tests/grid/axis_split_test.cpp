// One axis as two: every element keeps its owner and its place in memory.
#include "grid/axis_split.hpp"

#include <gtest/gtest.h>

#include "support/layouts.hpp"

namespace shardfft::testing {
namespace {

// By the formulas in axis_split.hpp.
Coord halved(const AxisSplit& s, Digits digits, const Coord& at) {
  Coord result = Coord::filled(at.dims() + 1, 0);
  for (int a = 0; a < at.dims(); ++a) result[a <= s.axis ? a : a + 1] = at[a];
  const Index i = at[s.axis];
  result[s.axis] = digits == Digits::before ? i / s.fast : i % s.slow;
  result[s.axis + 1] = digits == Digits::before ? i % s.fast : i / s.slow;
  return result;
}

struct Scene {
  AxisSplit s{};
  Shape shape{};
  explicit Scene(std::mt19937_64& random) : shape(small_shape(random, 3, 5)) {
    s = {.axis = static_cast<int>(pick(random, 0, shape.dims() - 1)), .slow = pick(random, 1, 5), .fast = pick(random, 1, 5)};
    shape[s.axis] = s.length();
  }
};

TEST(AxisSplit, GivesEveryElementToItsOwner) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 40; ++i) {
    const Scene scene(random);
    const int ranks = static_cast<int>(pick(random, 1, 7));
    for (const LayoutSpec& spec : layouts_of_every_kind(random, scene.shape, ranks))
      for (const Digits digits : {Digits::before, Digits::after}) {
        const Layout layout(spec, scene.shape, ranks), parts = split(scene.s, digits, layout);
        const std::vector<int> expected = owner_of_each(layout), got = owner_of_each(parts);
        const testing::Whole old{layout.global(), {}}, frame{parts.global(), {}};
        ASSERT_EQ(expected.size(), got.size());
        for_each(whole(scene.shape), [&](const Coord& at) {
          ASSERT_EQ(got[static_cast<std::size_t>(frame.position(halved(scene.s, digits, at)))], expected[static_cast<std::size_t>(old.position(at))]) << to_string(at) << " of " << to_string(spec);
        });
      }
  }
}

TEST(AxisSplit, LeavesEveryElementWhereItIsInMemory) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200; ++i) {
    const Scene scene(random);
    Box box = whole(scene.shape);
    Coord strides = Coord::filled(scene.shape.dims(), 0);
    for (int a = 0; a < box.dims(); ++a) {
      box.lo[a] = pick(random, 0, box.hi[a] - 1);
      box.hi[a] = pick(random, box.lo[a] + 1, box.hi[a]);
      strides[a] = pick(random, 1, 1000);
    }
    const Patch patch{.box = box, .base = Base::output, .offset = 77, .strides = strides};
    const auto place = [](const Patch& p, const Coord& at) {
      Index offset = p.offset;
      for (int a = 0; a < at.dims(); ++a) offset += (at[a] - p.box.lo[a]) * p.strides[a];
      return offset;
    };
    for (const Digits digits : {Digits::before, Digits::after}) {
      const std::vector<Patch> parts = split(scene.s, digits, std::vector<Patch>{patch});
      EXPECT_LE(parts.size(), 3u);
      Index count = 0;
      for (const Patch& part : parts) {
        EXPECT_EQ(part.base, Base::output);
        count += part.box.count();
      }
      EXPECT_EQ(count, box.count());
      for_each(box, [&](const Coord& at) {
        const Coord there = halved(scene.s, digits, at);
        int found = 0;
        for (const Patch& part : parts)
          if (part.box.contains(there)) {
            ++found;
            EXPECT_EQ(place(part, there), place(patch, at)) << to_string(at);
          }
        EXPECT_EQ(found, 1);
      });
    }
  }
}

TEST(AxisSplit, KeepsAProcessGridWhereItsCutsFallBetweenRows) {
  const AxisSplit s{.axis = 1, .slow = 8, .fast = 3};
  const Layout cut(slabs(1), Shape{5, 24, 6}, 4);
  EXPECT_EQ(split(s, Digits::before, cut).grid(), (Coord{1, 4, 1, 1}));
  EXPECT_EQ(split(s, Digits::before, Layout(slabs(0), Shape{5, 24, 6}, 4)).grid(), (Coord{4, 1, 1, 1}));
  EXPECT_EQ(split(s, Digits::after, Layout(slabs(1), Shape{5, 24, 6}, 3)).grid(), (Coord{1, 1, 3, 1}));
  EXPECT_EQ(split(s, Digits::after, cut).spec().kind, LayoutSpec::Kind::boxes) << "24 / 4 = 6 is no multiple of 8";
}

TEST(AxisSplit, BalancesFactors) {
  EXPECT_EQ(balanced_split(2, 1 << 20, 8), (AxisSplit{.axis = 2, .slow = 1024, .fast = 1024}));
  EXPECT_EQ(balanced_split(0, 1 << 15, 8), (AxisSplit{.axis = 0, .slow = 256, .fast = 128}));
  EXPECT_EQ(balanced_split(0, 1000, 8), (AxisSplit{.axis = 0, .slow = 40, .fast = 25}));
  EXPECT_FALSE(balanced_split(0, 65537, 2)) << "a prime";
  EXPECT_FALSE(balanced_split(0, 2 * 65537, 8));
  EXPECT_TRUE(balanced_split(0, 2 * 65537, 2));
}

}  // namespace
}  // namespace shardfft::testing
