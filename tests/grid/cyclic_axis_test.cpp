// Cyclic axes ordered by owner: every element keeps its owner and its place in memory.
#include "grid/cyclic_axis.hpp"

#include <gtest/gtest.h>

#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

TEST(CyclicMap, CountsTheIndicesOfOneOwnerAfterTheOther) {
  for (const Index n : {1, 2, 7, 12, 30})
    for (const Index owners : {1, 2, 3, 5, 12, 40}) {
      const CyclicMap map{n, owners};
      Index at = 0;
      for (Index owner = 0; owner < owners; ++owner)
        for (Index i = owner; i < n; i += owners, ++at) {
          ASSERT_EQ(map.counted(i), at) << n << " to " << owners;
          ASSERT_EQ(map.index(at), i);
          ASSERT_EQ(map.owner_of(at), owner);
          ASSERT_EQ(map.left_of_owner(at), (n - 1 - i) / owners + 1);
        }
    }
}

TEST(CyclicMap, FindsWhatAnOwnerHasOfARange) {
  for (const Index owners : {1, 3, 4, 20})
    for (Index lo = 0; lo <= 11; ++lo)
      for (Index hi = lo; hi <= 11; ++hi)
        for (Index owner = 0; owner < owners; ++owner) {
          const CyclicMap map{11, owners};
          const IndexRange part = map.part(owner, {lo, hi});
          for (Index i = 0; i < 11; ++i) {
            const Index at = map.counted(i);
            EXPECT_EQ(part.lo <= at && at < part.hi, lo <= i && i < hi && i % owners == owner)
                << i << " in " << lo << " to " << hi << ", owner " << owner << " of " << owners;
          }
        }
}

// An axis that is cyclic where the layout deals none, or its own.
Coord some_owners(std::mt19937_64& random, const Layout& layout) {
  Coord owners = owners_of(layout);
  const int axis = static_cast<int>(pick(random, 0, owners.dims() - 1));
  if (owners[axis] == 1) owners[axis] = pick(random, 1, 5);
  return owners;
}

Coord counted(const Shape& shape, const Coord& owners, Coord at) {
  for (int a = 0; a < at.dims(); ++a) at[a] = CyclicMap{shape[a], owners[a]}.counted(at[a]);
  return at;
}

TEST(CyclicAxis, GivesEveryElementToItsOwner) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const Shape shape = small_shape(random, 3, 9);
    const int ranks = static_cast<int>(pick(random, 1, 7));
    const Whole frame{shape, {}};
    for (const LayoutSpec& spec : layouts_of_every_kind(random, shape, ranks)) {
      const Layout layout(spec, shape, ranks);
      const Coord owners = some_owners(random, layout);
      const std::vector<int> expected = owner_of_each(layout), got = owner_of_each(counted(layout, owners));
      for_each(whole(shape), [&](const Coord& at) {
        ASSERT_EQ(got[static_cast<std::size_t>(frame.position(counted(shape, owners, at)))],
                  expected[static_cast<std::size_t>(frame.position(at))])
            << to_string(at) << " of " << to_string(spec) << ", owners " << to_string(owners);
      });
    }
  }
}

TEST(CyclicAxis, IsOneBoxOfEachRankOfACyclicLayout) {
  const Layout round_robin(cyclic(1).ordered({1, 0}), Shape{3, 1 << 20}, 4);
  const Layout blocks = counted(round_robin, owners_of(round_robin));
  EXPECT_EQ(blocks.grid(), (Coord{1, 4}));
  EXPECT_EQ(blocks.order(), round_robin.order());
}

TEST(CyclicAxis, LeavesEveryElementWhereItIsInMemory) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = small_shape(random, 3, 9);
    const int axis = static_cast<int>(pick(random, 0, shape.dims() - 1));
    Coord owners = Coord::filled(shape.dims(), 1);
    const Coord one = owners;
    owners[axis] = pick(random, 2, 6);
    Patch patch{.box = whole(shape), .base = Base::input, .offset = 33, .strides = one};
    for (int a = 0; a < shape.dims(); ++a) {
      patch.box.lo[a] = pick(random, 0, patch.box.hi[a] - 1);
      patch.box.hi[a] = pick(random, patch.box.lo[a] + 1, patch.box.hi[a]);
      patch.strides[a] = pick(random, 1, 1000);
    }
    const auto place = [](const Patch& p, const Coord& at) {
      Index offset = p.offset;
      for (int a = 0; a < at.dims(); ++a) offset += (at[a] - p.box.lo[a]) * p.strides[a];
      return offset;
    };
    const std::vector<Patch> parts = counted(std::vector<Patch>{patch}, shape, one, owners);
    EXPECT_LE(static_cast<Index>(parts.size()), owners[axis]);
    for_each(patch.box, [&](const Coord& at) {
      int found = 0;
      for (const Patch& part : parts)
        if (const Coord there = counted(shape, owners, at); part.box.contains(there)) {
          ++found;
          EXPECT_EQ(place(part, there), place(patch, at));
        }
      EXPECT_EQ(found, 1);
    });
  }
}

}  // namespace
}  // namespace shardfft::testing
