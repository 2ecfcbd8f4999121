// The caller's boxes in the caller's memory.
#include "pipeline/bind/memory.hpp"

#include <gtest/gtest.h>

#include "shardfft/error.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

TEST(Placements, LieBoxAfterBoxInTheLayoutsOrderAndCyclicAxesAreOneLocalArray) {
  std::mt19937_64 random(101);
  for (int i = 0; i < 300; ++i) {
    const int ranks = static_cast<int>(pick(random, 1, 7));
    const Shape shape = small_shape(random, 4, 7);
    const Layout layout(random_layout(random, shape, ranks), shape, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const LocalMemory expected = packed_memory(layout, rank);
      const auto places = placements(layout, rank, {}, "input_memory");
      SCOPED_TRACE(to_string(layout.spec()) + " of " + to_string(shape) + " over " + std::to_string(ranks) + ", rank " +
                   std::to_string(rank));
      ASSERT_EQ(places.size(), expected.places.size());
      std::vector<int> used(static_cast<std::size_t>(layout.count(rank)));
      for (std::size_t b = 0; b < places.size(); ++b)
        for_each(expected.boxes[b], [&](const Coord& at) {
          Index p = places[b].offset;
          for (int a = 0; a < at.dims(); ++a) p += (at[a] - expected.boxes[b].lo[a]) * places[b].strides[a];
          EXPECT_EQ(p, expected.position(b, at));
          ++used.at(static_cast<std::size_t>(p));
        });
      EXPECT_EQ(used, std::vector<int>(used.size(), 1)) << "without gaps";
      EXPECT_EQ(extent_of(layout.boxes(rank), places), layout.count(rank));
    }
  }
}

TEST(Placements, ThatAreGivenReachToTheirLastElement) {
  std::mt19937_64 random(102);
  for (int i = 0; i < 200; ++i) {
    const Shape shape = small_shape(random, 4, 6);
    const Layout layout(random_boxes(random, shape, 2), shape, 2);
    const LocalMemory memory = padded_memory(layout, 1, random);
    const auto places = placements(layout, 1, memory.places, "output_memory");
    EXPECT_EQ(extent_of(layout.boxes(1), places), memory.elements);
  }
}

std::string refusal(const std::vector<Placement>& given) {
  try {
    (void)placements(Layout(slabs(0), {4, 5}, 2), 1, given, "input_memory");
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::invalid_layout);
    return e.what();
  }
  return "accepted";
}

TEST(Placements, ThatGiveTwoElementsOnePlaceAreRefused) {
  EXPECT_EQ(refusal({{0, {5, 1}}}), "accepted");
  EXPECT_EQ(refusal({{7, {1, 2}}}), "accepted");
  EXPECT_EQ(refusal({{0, {20, 3}}}), "accepted");
  EXPECT_NE(refusal({{0, {4, 1}}}).find("4 x 1"), std::string::npos);
  EXPECT_NE(refusal({{0, {1, 1}}}).find("1 x 1"), std::string::npos);
  EXPECT_NE(refusal({{0, {5, 0}}}), "accepted");
  EXPECT_NE(refusal({{0, {5, -1}}}), "accepted");
  EXPECT_NE(refusal({{-1, {5, 1}}}).find("offset"), std::string::npos);
  EXPECT_NE(refusal({{0, {1}}}).find("input_memory[0]"), std::string::npos);
  EXPECT_NE(refusal({{0, {5, 1}}, {0, {5, 1}}}).find("1 boxes, got 2"), std::string::npos);
}

TEST(Cut, KeepsTheAddressOfEveryElementInsideOfTheRegions) {
  std::mt19937_64 random(103);
  for (int i = 0; i < 200; ++i) {
    const Shape shape = small_shape(random, 4, 6);
    const Layout layout(random_boxes(random, shape, 1), shape, 1);
    const LocalMemory memory = padded_memory(layout, 0, random);
    const std::vector<Patch> patches = caller_patches(memory.boxes, memory.places, Base::output, 16);
    const Layout other(random_boxes(random, shape, 2), shape, 2);
    const auto address = [](const Patch& p, const Coord& at) {
      Index offset = p.offset;
      for (int a = 0; a < at.dims(); ++a) offset += (at[a] - p.box.lo[a]) * p.strides[a];
      return offset;
    };
    const Whole frame{shape, {}};
    std::vector<Index> expected(static_cast<std::size_t>(product(shape)), -1), got = expected;
    for (std::size_t b = 0; b < patches.size(); ++b)
      for_each(memory.boxes[b], [&](const Coord& at) {
        EXPECT_EQ(address(patches[b], at), memory.position(b, at) * 16);
        for (const Box& region : other.boxes(1))
          if (region.contains(at)) expected[static_cast<std::size_t>(frame.position(at))] = memory.position(b, at) * 16;
      });
    for (const Patch& part : cut(patches, other.boxes(1))) {
      EXPECT_EQ(part.base, Base::output);
      for_each(part.box,
               [&](const Coord& at) { got[static_cast<std::size_t>(frame.position(at))] = address(part, at); });
    }
    EXPECT_EQ(got, expected);
  }
}

}  // namespace
}  // namespace shardfft::testing
