// Cyclic axes counted by hands: every element keeps its owner and its place in memory.
#include "grid/dealt_axis.hpp"

#include <gtest/gtest.h>

#include "support/layouts.hpp"

namespace shardfft::testing {
namespace {

TEST(Deal, CountsTheIndicesOfOneHandAfterTheOther) {
  for (const Index n : {1, 2, 7, 12, 30})
    for (const Index hands : {1, 2, 3, 5, 12, 40}) {
      const Deal deal{n, hands};
      Index at = 0;
      for (Index hand = 0; hand < hands; ++hand)
        for (Index i = hand; i < n; i += hands, ++at) {
          ASSERT_EQ(deal.counted(i), at) << n << " to " << hands;
          ASSERT_EQ(deal.index(at), i);
          ASSERT_EQ(deal.hand_of(at), hand);
          ASSERT_EQ(deal.left_in_hand(at), (n - 1 - i) / hands + 1);
        }
    }
}

TEST(Deal, FindsWhatAHandHasOfARange) {
  for (const Index hands : {1, 3, 4, 20})
    for (Index lo = 0; lo <= 11; ++lo)
      for (Index hi = lo; hi <= 11; ++hi)
        for (Index hand = 0; hand < hands; ++hand) {
          const Deal deal{11, hands};
          const IndexRange part = deal.part(hand, {lo, hi});
          for (Index i = 0; i < 11; ++i) {
            const Index at = deal.counted(i);
            EXPECT_EQ(part.lo <= at && at < part.hi, lo <= i && i < hi && i % hands == hand)
                << i << " in " << lo << " to " << hi << ", hand " << hand << " of " << hands;
          }
        }
}

// An axis that is dealt where the layout deals none, or its own.
Coord some_hands(std::mt19937_64& random, const Layout& layout) {
  Coord hands = hands_of(layout);
  const int axis = static_cast<int>(pick(random, 0, hands.dims() - 1));
  if (hands[axis] == 1) hands[axis] = pick(random, 1, 5);
  return hands;
}

Coord counted(const Shape& shape, const Coord& hands, Coord at) {
  for (int a = 0; a < at.dims(); ++a) at[a] = Deal{shape[a], hands[a]}.counted(at[a]);
  return at;
}

TEST(DealtAxis, GivesEveryElementToItsOwner) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const Shape shape = small_shape(random, 3, 9);
    const int ranks = static_cast<int>(pick(random, 1, 7));
    const Whole frame{shape, {}};
    for (const LayoutSpec& spec : layouts_of_every_kind(random, shape, ranks)) {
      const Layout layout(spec, shape, ranks);
      const Coord hands = some_hands(random, layout);
      const std::vector<int> expected = owner_of_each(layout), got = owner_of_each(counted(layout, hands));
      for_each(whole(shape), [&](const Coord& at) {
        ASSERT_EQ(got[static_cast<std::size_t>(frame.position(counted(shape, hands, at)))],
                  expected[static_cast<std::size_t>(frame.position(at))])
            << to_string(at) << " of " << to_string(spec) << ", hands " << to_string(hands);
      });
    }
  }
}

TEST(DealtAxis, IsOneBoxOfEachRankOfACyclicLayout) {
  const Layout dealt(cyclic(1).ordered({1, 0}), Shape{3, 1 << 20}, 4);
  const Layout blocks = counted(dealt, hands_of(dealt));
  EXPECT_EQ(blocks.grid(), (Coord{1, 4}));
  EXPECT_EQ(blocks.order(), dealt.order());
}

TEST(DealtAxis, LeavesEveryElementWhereItIsInMemory) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = small_shape(random, 3, 9);
    const int axis = static_cast<int>(pick(random, 0, shape.dims() - 1));
    Coord hands = Coord::filled(shape.dims(), 1);
    const Coord one = hands;
    hands[axis] = pick(random, 2, 6);
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
    const std::vector<Patch> parts = counted(std::vector<Patch>{patch}, shape, one, hands);
    EXPECT_LE(static_cast<Index>(parts.size()), hands[axis]);
    for_each(patch.box, [&](const Coord& at) {
      int found = 0;
      for (const Patch& part : parts)
        if (const Coord there = counted(shape, hands, at); part.box.contains(there)) {
          ++found;
          EXPECT_EQ(place(part, there), place(patch, at));
        }
      EXPECT_EQ(found, 1);
    });
  }
}

}  // namespace
}  // namespace shardfft::testing
