// copy_box against plain loops.
#include "support/memory/copy_box.hpp"
#include "sweep/host/tile_moves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"
#include "support/problems/random_strides.hpp"

namespace shardfft::testing {
namespace {

void expect_copied(std::mt19937_64& random, const Shape& shape, Index element) {
  Index from_bytes = 0, to_bytes = 0;
  const Coord from_strides = random_strides(random, shape, element, from_bytes),
              to_strides = random_strides(random, shape, element, to_bytes);
  std::vector<std::byte> from(static_cast<std::size_t>(from_bytes)),
      to(static_cast<std::size_t>(to_bytes), std::byte{0x77});
  for (std::byte& b : from) b = static_cast<std::byte>(pick(random, 0, 255));
  std::vector<std::byte> expected = to;
  for_each(whole(shape), [&](const Coord& at) {
    std::memcpy(&expected[static_cast<std::size_t>(offset_of(at, to_strides))],
                &from[static_cast<std::size_t>(offset_of(at, from_strides))], static_cast<std::size_t>(element));
  });
  const bool non_temporal = pick(random, 0, 1) == 1;
  copy_box(from.data(), from_strides, to.data(), to_strides, shape, element, non_temporal);
  non_temporal_fence();
  EXPECT_TRUE(to == expected) << (non_temporal ? "streamed " : "") << to_string(shape) << " of " << element
                              << " bytes, strides " << to_string(from_strides) << " -> " << to_string(to_strides);
}

// Rows of one or two cache lines, which are streamed whole where they begin with lines, and of other lengths beside
// them.
void expect_rows_copied(std::mt19937_64& random, Index row_bytes, Index begin, Index gap) {
  constexpr Index element = 16;
  const Shape shape{5, 7, row_bytes / element};
  const Coord from_strides{7 * 160, 160, element}, to_strides{7 * (row_bytes + gap) + gap, row_bytes + gap, element};
  std::vector<std::byte> from(5 * 7 * 160), to(static_cast<std::size_t>(begin + 5 * to_strides[0] + 64));
  for (std::byte& b : from) b = static_cast<std::byte>(pick(random, 0, 255));
  const auto start = static_cast<std::size_t>(64 - reinterpret_cast<std::uintptr_t>(to.data()) % 64 +
                                              static_cast<std::size_t>(begin)) %
                     64;
  for (const bool non_temporal : {false, true}) {
    std::fill(to.begin(), to.end(), std::byte{0x77});  // in place: where it begins in a line stays as it is
    std::vector<std::byte> expected = to;
    for_each(whole(shape), [&](const Coord& at) {
      std::memcpy(&expected[start + static_cast<std::size_t>(offset_of(at, to_strides))],
                  &from[static_cast<std::size_t>(offset_of(at, from_strides))], element);
    });
    copy_box(from.data(), from_strides, to.data() + start, to_strides, shape, element, non_temporal);
    non_temporal_fence();
    EXPECT_TRUE(to == expected) << "rows of " << row_bytes << " bytes that begin " << begin << " behind a line, " << gap
                                << " apart, streamed " << non_temporal;
  }
}

template <class T>
void expect_conjugated(std::mt19937_64& random, const Shape& shape) {
  constexpr Index element = 2 * sizeof(T);
  Index bytes[2] = {};
  Coord strides[2];
  Index start[2] = {};
  for (int side = 0; side < 2; ++side) strides[side] = random_strides(random, shape, element, bytes[side]);
  const auto downwards = static_cast<std::size_t>(pick(random, 0, 1));  // along some axes of one side
  for (int a = 0; a < shape.dims(); ++a)
    if (pick(random, 0, 1) == 1) {
      start[downwards] += (shape[a] - 1) * strides[downwards][a];
      strides[downwards][a] = -strides[downwards][a];
    }
  std::vector<T> from(static_cast<std::size_t>(bytes[0]) / sizeof(T)),
      to(static_cast<std::size_t>(bytes[1]) / sizeof(T), T{77});
  for (T& x : from) x = static_cast<T>(pick(random, -1000, 1000));
  std::vector<T> expected = to;
  for_each(whole(shape), [&](const Coord& at) {
    const auto source = static_cast<std::size_t>(start[0] + offset_of(at, strides[0])) / sizeof(T),
               target = static_cast<std::size_t>(start[1] + offset_of(at, strides[1])) / sizeof(T);
    expected[target] = from[source];
    expected[target + 1] = -from[source + 1];
  });
  copy_conjugates(reinterpret_cast<const std::byte*>(from.data()) + start[0], strides[0],
                  reinterpret_cast<std::byte*>(to.data()) + start[1], strides[1], shape, sizeof(T));
  EXPECT_TRUE(to == expected) << to_string(shape) << ", strides " << to_string(strides[0]) << " -> "
                              << to_string(strides[1]);
}

TEST(CopyBox, ConjugatesUpwardsAndDownwards) {
  std::mt19937_64 random(32);
  for (int i = 0; i < chosen_problems(600); ++i) {
    const Shape shape = small_shape(random, 4, 40 / 4);
    expect_conjugated<float>(random, shape);
    expect_conjugated<double>(random, shape);
    expect_conjugated<double>(random, {pick(random, 1, 3), pick(random, 1, 300)});
  }
}

TEST(CopyBox, PutsEveryElementInItsPlaceAndNothingElsewhereWhateverOrdersAndGaps) {
  std::mt19937_64 random(31);
  for (int i = 0; i < chosen_problems(600); ++i)
    for (const Index element : {4, 8, 16}) {
      const int dims = static_cast<int>(pick(random, 1, max_dims));
      Shape shape = Coord::filled(dims, 1);
      Index left = 3000;
      for (int a = 0; a < dims; ++a) left /= shape[a] = pick(random, 1, std::min<Index>(left, 7));
      expect_copied(random, shape, element);
    }
}

TEST(CopyBox, TransposesPlanesThatAreLargerThanItsSquares) {
  std::mt19937_64 random(32);
  for (const Shape& shape : {Shape{16, 16}, {17, 33}, {70, 50}, {1, 100}, {3, 40, 21}, {40, 3, 21}})
    for (int i = 0; i < 10; ++i)
      for (const Index element : {4, 8, 16}) expect_copied(random, shape, element);
}

TEST(CopyBox, CopiesLongLinesFromAndToAnyAddress) {
  std::mt19937_64 random(33);
  for (int i = 0; i < 60; ++i) expect_copied(random, {pick(random, 1, 4), pick(random, 30, 900)}, i % 2 ? 8 : 16);
}

// Rows of one and of two lines have code of their own, in whatever order of axes they come about.
TEST(CopyBox, CopiesRowsOfALineOrTwo) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i)
    for (const Index element : {4, 8, 16})
      for (const Index row : {64, 128, 192})
        expect_copied(random, Shape{pick(random, 1, 4), pick(random, 1, 9), row / element}, element);
}

TEST(CopyBox, OfNothingTouchesNothing) {
  copy_box(nullptr, {8, 8}, nullptr, {8, 8}, {0, 5}, 8);
  copy_box(nullptr, {8, 8}, nullptr, {8, 8}, {5, 0}, 16);
}

TEST(CopyBox, CopiesRowsOfWholeLinesAndOthers) {
  std::mt19937_64 random(7);
  for (const Index row_bytes : {48, 64, 96, 128, 160})
    for (const Index begin : {0, 16})
      for (const Index gap : {0, 64, 16}) expect_rows_copied(random, row_bytes, begin, gap);
}

}  // namespace
}  // namespace shardfft::testing
