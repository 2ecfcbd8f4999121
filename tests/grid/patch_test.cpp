// Packed boxes: no two elements in one place, no gap that was not asked for.
#include "grid/patch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

struct Packed {
  Shape shape{};
  std::vector<int> order{};
  Index element = 8;
  Coord strides{};
  std::vector<Index> offsets{};  // of the elements, in memory order as `order` says

  Packed(std::mt19937_64& random, Index max_extent, bool padded)
      : shape(small_shape(random, 4, max_extent)), order(static_cast<std::size_t>(shape.dims())) {
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    element = Index{4} << pick(random, 0, 2);
    strides = packed_strides(shape, order, element, padded);
    Shape turned = shape;
    for (std::size_t i = 0; i < order.size(); ++i) turned[static_cast<int>(i)] = shape[order[i]];
    for_each(whole(turned), [&](const Coord& at) {
      Index offset = 0;
      for (std::size_t i = 0; i < order.size(); ++i) offset += at[static_cast<int>(i)] * strides[order[i]];
      offsets.push_back(offset);
    });
  }
};

TEST(PackedStrides, LayElementsOneBehindTheOtherInTheMemoryOrder) {
  std::mt19937_64 random(41);
  for (int i = 0; i < 200; ++i) {
    const Packed p(random, 9, false);
    for (std::size_t e = 0; e < p.offsets.size(); ++e) EXPECT_EQ(p.offsets[e], static_cast<Index>(e) * p.element);
    EXPECT_EQ(packed_bytes(p.shape, p.strides, p.element), product(p.shape) * p.element);
  }
}

TEST(PackedStrides, KeepTheOrderButAvoidPowersOfTwoWhenPadded) {
  std::mt19937_64 random(42);
  int padded = 0;
  for (int i = 0; i < 100; ++i) {
    const Packed p(random, 40, true);
    for (std::size_t e = 1; e < p.offsets.size(); ++e)
      ASSERT_GE(p.offsets[e], p.offsets[e - 1] + p.element) << to_string(p.shape) << " " << to_string(p.strides);
    EXPECT_EQ(packed_bytes(p.shape, p.strides, p.element), p.offsets.back() + p.element);
    for (int a = 0; a < p.shape.dims(); ++a)
      if (p.strides[a] >= 512) {
        ++padded;
        EXPECT_EQ(p.strides[a] % 64, 0);
        EXPECT_NE(p.strides[a] % 512, 0);
      }
  }
  EXPECT_GT(padded, 50);
}

TEST(PackedStrides, PadPlanesOfPowersOfTwo) {
  const Coord strides = packed_strides({64, 64, 64}, {0, 1, 2}, 16, true);
  EXPECT_EQ(strides, (Coord{((1024 + 128) * 64 / 512 * 512) + 128, 1024 + 128, 16}));
}

TEST(PackedBytes, OfABoxWithoutElementsAreNone) {
  for (const bool padded : {false, true}) {
    const Shape flat{4, 0, 300};
    EXPECT_EQ(packed_bytes(flat, packed_strides(flat, {0, 1, 2}, 8, padded), 8), 0);
  }
}

}  // namespace
}  // namespace shardfft::testing
