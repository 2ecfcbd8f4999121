// Runs of blocks in planes: every element of the segment once, in the order in which a packed copy has them.
#include "exchange/plane_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "grid/patch.hpp"
#include "support/memory/copy_box.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

TEST(PlaneRuns, AreTheSegmentAsItIsPacked) {
  int held = 0, several = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const int dims = static_cast<int>(pick(random, 1, 4));
    const Index element = Index{4} << pick(random, 0, 2), block = 64 * std::min<Index>(element, 8);
    Shape plane = Coord::filled(dims, 1);
    for (int a = 0; a < dims; ++a)
      plane[a] = pick(random, 0, 1) == 1 ? Index{1} << pick(random, 0, 5) : pick(random, 1, 20);
    if (product(plane) > 40000) continue;
    std::vector<int> order(static_cast<std::size_t>(dims));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const Coord strides = packed_strides(plane, order, element, /*padded=*/pick(random, 0, 1) == 1);
    if (pick(random, 0, 3) == 0) std::shuffle(order.begin(), order.end(), random);  // another order than the plane's
    Shape segment = plane;
    Index begin = 0;
    for (int a = 0; a < dims; ++a)
      if (pick(random, 0, 2) == 0) {
        segment[a] = pick(random, 1, plane[a]);
        begin += pick(random, 0, plane[a] - segment[a]) * strides[a];
      }
    std::vector<std::byte> memory(static_cast<std::size_t>(packed_bytes(plane, strides, element)) + 64);
    for (std::size_t i = 0; i < memory.size(); i += 4) {
      const auto number = static_cast<std::uint32_t>(i / 4);
      std::memcpy(memory.data() + i, &number, std::min<std::size_t>(4, memory.size() - i));
    }
    std::byte* first = memory.data() + begin;
    first += (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    const PlaneRuns runs(segment, strides, order, element, block);
    if (!runs.holds(first)) continue;
    ++held;
    several += runs.count() > 1;
    ASSERT_EQ(runs.count() * runs.bytes(), product(segment) * element);
    ASSERT_EQ(runs.bytes() % block, 0);
    std::vector<std::byte> packed(static_cast<std::size_t>(product(segment) * element)), found;
    copy_box(first, strides, packed.data(), packed_strides(segment, order, element, false), segment, element);
    for (Index run = 0; run < runs.count(); ++run) {
      const std::byte* at = first + runs.offset(run);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % 64, 0U);
      found.insert(found.end(), at, at + runs.bytes());
    }
    ASSERT_EQ(packed, found);
  }
  EXPECT_GT(held, 50);
  EXPECT_GT(several, 20);
}

TEST(PlaneRuns, AreNoneWhereBlocksWouldNotBeWholeOrNotWorthACall) {
  const auto count = [](const Shape& segment, const Coord& strides, const std::vector<int>& order) {
    return PlaneRuns(segment, strides, order, 16, 512).count();
  };
  EXPECT_EQ(count({4, 64, 8}, {64 * 128 + 64, 128, 16}, {0, 1, 2}), 4);
  EXPECT_EQ(count({4, 64, 8}, {64 * 128 + 32, 128, 16}, {0, 1, 2}), 0) << "runs begin anywhere";
  EXPECT_EQ(count({4, 66, 8}, {66 * 128 + 64, 128, 16}, {0, 1, 2}), 0) << "the last block of a run is not whole";
  EXPECT_EQ(count({4, 64, 8}, {64 * 128 + 64, 128, 16}, {1, 0, 2}), 0) << "in another order";
  EXPECT_EQ(count({64, 4, 8}, {4 * 128 + 64, 128, 16}, {0, 1, 2}), 0) << "each too short for a call";
  EXPECT_EQ(count({64, 4, 8}, {4 * 128, 128, 16}, {0, 1, 2}), 1) << "all of it";
}

}  // namespace
}  // namespace shardfft::testing
