// Layouts against a map of the owner of every element.
#include "shardfft/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/problems/layouts.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

// body(layout, random) for every kind of layout of random shapes over 1 to 13 ranks, more ranks than points too
template <class Body>
void for_layouts(std::uint64_t seed, int shapes, Body body) {
  std::mt19937_64 random(seed);
  for (int ranks = 1; ranks <= 13; ++ranks)
    for (int i = 0; i < shapes; ++i) {
      const Shape shape = small_shape(random, 4, 7);
      for (const LayoutSpec& spec : layouts_of_every_kind(random, shape, ranks)) {
        SCOPED_TRACE(::testing::Message()
                     << "seed " << seed << ": " << to_string(spec) << " of " << to_string(shape) << " over " << ranks);
        body(Layout(spec, shape, ranks), random);
      }
    }
}

TEST(Layout, GivesEveryElementOneOwnerWhateverTheKindShapeAndNumberOfRanks) {
  for_layouts(1, 12, [](const Layout& layout, auto&) {
    const std::vector<int> owner = owner_of_each(layout);
    EXPECT_GE(*std::min_element(owner.begin(), owner.end()), 0);
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      EXPECT_EQ(layout.count(rank), std::count(owner.begin(), owner.end(), rank));
      for (const Box& box : layout.boxes(rank)) EXPECT_FALSE(box.empty());
    }
  });
}

TEST(Layout, CutsOnlyTheAxisOfSlabsAndKeepsPencilsWhole) {
  for_layouts(2, 6, [](const Layout& layout, auto&) {
    const auto kind = layout.spec().kind;
    for (int rank = 0; rank < layout.ranks(); ++rank)
      for (const Box& box : layout.boxes(rank))
        for (int a = 0; a < layout.global().dims(); ++a) {
          const bool cut = kind == LayoutSpec::Kind::pencils ? a != layout.spec().axis : a == layout.spec().axis;
          const bool in_one_way =
              kind == LayoutSpec::Kind::slabs || kind == LayoutSpec::Kind::cyclic || kind == LayoutSpec::Kind::pencils;
          EXPECT_TRUE(!in_one_way || cut || box.extent(a) == layout.global()[a]) << "rank " << rank << ", axis " << a;
        }
  });
}

TEST(Layout, GivesIndicesRoundRobinWhenCyclic) {
  const Layout layout(cyclic(1), {2, 11, 3}, 4);
  const std::vector<int> owner = owner_of_each(layout);
  const Whole frame{layout.global(), {}};
  for_each(whole(layout.global()),
           [&](const Coord& at) { EXPECT_EQ(owner[static_cast<std::size_t>(frame.position(at))], at[1] % 4); });
}

TEST(Layout, GivesSlabsWithABlockSoManyPlanesEachUntilThereAreNoneLeft) {
  const Layout layout(slabs(0, 3), {10, 2}, 5);
  const std::vector<Index> planes{3, 3, 3, 1, 0};
  for (int rank = 0; rank < 5; ++rank)
    EXPECT_EQ(layout.count(rank), 2 * planes[static_cast<std::size_t>(rank)]) << "rank " << rank;
  EXPECT_EQ(layout.grid(), (Coord{4, 1}));
  EXPECT_EQ(layout.block(), 3);
  EXPECT_EQ(layout.describe(), "slabs along axis 0 in blocks of 3 over 5 ranks");
  EXPECT_EQ(to_string(parse_layout("slabs:-2/3", 2)), "slabs:0/3");
  EXPECT_FALSE(layout.same_owners(Layout(slabs(0), {10, 2}, 5)));
  EXPECT_TRUE(Layout(slabs(0, 4), {11, 2}, 3).same_owners(Layout(slabs(0), {11, 2}, 3))) << "as even as can be";
}

TEST(Layout, NumbersTheRanksOfAGridInRowMajorOrderAndLeavesTheRestIdle) {
  const Layout layout(process_grid({2, 3}), {6, 9}, 8);
  EXPECT_EQ(layout.boxes(0), (std::vector<Box>{{{0, 0}, {3, 3}}}));
  EXPECT_EQ(layout.boxes(1), (std::vector<Box>{{{0, 3}, {3, 6}}}));
  EXPECT_EQ(layout.boxes(5), (std::vector<Box>{{{3, 6}, {6, 9}}}));
  EXPECT_TRUE(layout.boxes(6).empty());
  EXPECT_EQ(layout.count(7), 0);
}

TEST(Layout, KeepsTheOrderOfCustomBoxesAndLeavesOutEmptyOnes) {
  const Box a{{0}, {2}}, b{{2}, {5}}, none{{3}, {3}};
  const Layout layout(custom({{b, none, a}, {}}), {5}, 2);
  EXPECT_EQ(layout.boxes(0), (std::vector<Box>{b, a}));
  EXPECT_TRUE(layout.boxes(1).empty());
}

TEST(Layout, OwnersOfARegionAreThoseWhoseBoxesMeetIt) {
  for_layouts(3, 4, [](const Layout& layout, std::mt19937_64& random) {
    for (int i = 0; i < 5; ++i) {
      Box region = whole(layout.global());
      for (int a = 0; a < region.dims(); ++a) {
        region.lo[a] = pick(random, -2, layout.global()[a]);
        region.hi[a] = pick(random, -1, layout.global()[a] + 2);
      }
      std::vector<std::pair<int, Box>> expected;
      for (int rank = 0; rank < layout.ranks(); ++rank)
        for (const Box& box : layout.boxes(rank))
          if (const Box part = intersect(box, region); !part.empty()) expected.emplace_back(rank, part);
      EXPECT_EQ(layout.owners(region), expected) << to_string(region);
    }
  });
}

TEST(Layout, IsWholeAlongAnAxisWhenEveryBoxReachesFromEndToEnd) {
  for_layouts(4, 8, [](const Layout& layout, auto&) {
    for (int a = 0; a < layout.global().dims(); ++a) {
      bool every = true;
      for (int rank = 0; rank < layout.ranks(); ++rank)
        for (const Box& box : layout.boxes(rank)) every = every && box.lo[a] == 0 && box.hi[a] == layout.global()[a];
      EXPECT_EQ(layout.is_whole_along(a), every) << "axis " << a;
    }
  });
}

TEST(Layout, RefusesAxesThatTheArrayDoesNotHave) {
  const Layout layout(slabs(0), {4, 6}, 3);
  for (const int axis : {-1, 2, 9})
    EXPECT_NE(thrown([&] { (void)layout.is_whole_along(axis); }).find("from 0 to 1; got "), std::string::npos) << axis;
  for (const Box& region : {Box{{0}, {4}}, Box{{0, 0, 0}, {4, 6, 1}}, Box{{0, 0}, {4}}})
    EXPECT_NE(thrown([&] { (void)layout.owners(region); }).find("a region with 2 ranges"), std::string::npos);
}

TEST(Layout, HasNoRanksAndNoAxesBeforeOneIsAssigned) {
  Layout layout;
  EXPECT_EQ(layout.ranks(), 0);
  EXPECT_EQ(layout.global().dims(), 0);
  EXPECT_NE(thrown([&] { (void)layout.boxes(0); }), "");
  EXPECT_NE(thrown([&] { (void)layout.count(0); }), "");
  EXPECT_NE(thrown([&] { (void)layout.is_whole_along(0); }), "");
  EXPECT_FALSE(layout.same_owners(Layout(slabs(0), {4}, 1)));
  EXPECT_TRUE(layout.same_owners(Layout()));
  layout = Layout(slabs(0), {4}, 2);
  EXPECT_EQ(layout.count(1), 2);
}

TEST(Layout, HasTheSameOwnersAsAnotherWhenEveryRankHasTheSameBoxes) {
  std::mt19937_64 random(5);
  int same = 0;
  for (int i = 0; i < 60; ++i) {
    const int ranks = static_cast<int>(pick(random, 1, 9));
    const Shape shape = small_shape(random, 3, 4);
    const auto specs = layouts_of_every_kind(random, shape, ranks);
    for (const LayoutSpec& a : specs)
      for (const LayoutSpec& b : specs) {
        const Layout x(a, shape, ranks), y(b, shape, ranks);
        bool equal = true;
        for (int rank = 0; rank < ranks; ++rank) equal = equal && x.boxes(rank) == y.boxes(rank);
        same += equal;
        EXPECT_EQ(x.same_owners(y), equal)
            << to_string(a) << " and " << to_string(b) << " of " << to_string(shape) << " over " << ranks;
      }
  }
  EXPECT_GT(same, 100) << "the test looked at too few equal pairs to mean anything";
}

TEST(Layout, IsNotTheSameForAnotherShapeOrNumberOfRanks) {
  EXPECT_FALSE(Layout(slabs(0), {4, 4}, 2).same_owners(Layout(slabs(0), {4, 5}, 2)));
  EXPECT_FALSE(Layout(slabs(0), {4, 4}, 2).same_owners(Layout(slabs(0), {4, 4}, 3)));
}

TEST(Layout, MemoryOrderIsNaturalUnlessSaidOtherwiseAndDoesNotChangeOwners) {
  const Layout plain(slabs(0), {4, 5, 6}, 3), turned(slabs(0).ordered({2, 0, 1}), {4, 5, 6}, 3);
  EXPECT_EQ(plain.order(), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(turned.order(), (std::vector<int>{2, 0, 1}));
  EXPECT_TRUE(plain.same_owners(turned));
}

}  // namespace
}  // namespace shardfft::testing
