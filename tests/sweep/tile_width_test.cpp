// How many pencils are taken together: what was measured on two makers' processors, said in sizes.
#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "support/problems/layouts.hpp"
#include "sweep/host/tile_width.hpp"

namespace shardfft::testing {
namespace {

ProcessorProfile profile(bool amd) { return amd ? profile_of_amd() : profile_of_others(); }

constexpr Index element_bytes = 16;

/// A sweep along some axes of an array in C order, out of place, that goes to rows of so many bytes more.
SweepSpec sweep_along(const std::vector<int>& axes, const Shape& shape, Index gap = 0) {
  SweepSpec spec{.chunks = {{whole(shape)}}};
  std::vector<int> order;
  for (int a = 0; a < shape.dims(); ++a) order.push_back(a);
  Coord strides = packed_strides(shape, order, element_bytes, false);
  spec.from = {{.box = whole(shape), .base = Base::input, .strides = strides}};
  for (int a = 0; a + 1 < shape.dims(); ++a) strides[a] += gap;
  spec.to = {{.box = whole(shape), .base = Base::output, .strides = strides}};
  for (const int axis : axes)
    spec.axes.push_back({{.axis = axis, .n = shape[axis]},
                         find_engine("native")->make({.n = shape[axis], .strided = axis + 1 < shape.dims()})});
  return spec;
}

/// In pencils of one kernel.
int kernels(const SweepSpec& spec, std::size_t axis, bool amd) {
  const int own = spec.axes[axis].kernel->in().pencils,
            pencils = tile_width(spec, spec.axes[axis], profile(amd)).pencils;
  EXPECT_EQ(pencils % own, 0);
  return std::max(pencils / own, 1);
}

bool has_vectors() { return find_engine("native")->make({.n = 64})->in().pencils > 1; }

TEST(TileWidth, IsThatOfFourKernelsWhereRowsOfLongPencilsCrowdTheCaches) {
  if (!has_vectors()) GTEST_SKIP() << "kernels of one pencil take what shares a line";
  for (const bool amd : {false, true}) {
    EXPECT_EQ(kernels(sweep_along({0}, {512, 512, 512}), 0, amd), 4);
    EXPECT_EQ(kernels(sweep_along({0}, {1024, 64, 1024}), 0, amd), amd ? 8 : 4);
    EXPECT_FALSE(tile_width(sweep_along({0}, {512, 512, 512}), sweep_along({0}, {512, 512, 512}).axes[0], profile(amd))
                     .two_in_row);
  }
  // An image: its rows are 16000 bytes apart. Read in order, it may be stored where rows crowd.
  EXPECT_EQ(kernels(sweep_along({0}, {1024, 1000}), 0, false), 1);
  EXPECT_EQ(kernels(sweep_along({0}, {1024, 1000}, (Index{1} << 20) - 16000), 0, false), 4);
  EXPECT_TRUE(
      tile_width(sweep_along({0}, {1024, 1000}), sweep_along({0}, {1024, 1000}).axes[0], profile(false)).two_in_row);
}

TEST(TileWidth, OfShorterPencilsIsThatOfTwoOnAmdsProcessorsOnly) {
  if (!has_vectors()) GTEST_SKIP() << "kernels of one pencil take what shares a line";
  const SweepSpec crowding = sweep_along({0}, {256, 512, 512}), cube = sweep_along({0}, {100, 100, 100}),
                  rows = sweep_along({2}, {100, 100, 100});
  EXPECT_EQ(kernels(crowding, 0, true), 2);
  EXPECT_EQ(kernels(cube, 0, true), 2);
  EXPECT_EQ(kernels(rows, 0, true), 1) << "contiguous pencils";
  for (const SweepSpec* spec : {&crowding, &cube, &rows}) EXPECT_EQ(kernels(*spec, 0, false), 1);
  SweepSpec planes = sweep_along({2, 1}, {100, 100, 100});
  EXPECT_EQ(kernels(planes, 1, true), 1);
  planes.tuning.non_temporal = NonTemporal::all;
  EXPECT_EQ(kernels(planes, 0, true), 1);
  EXPECT_EQ(kernels(planes, 1, true), 2) << "stored past the cache, from a plane";
  EXPECT_EQ(kernels(planes, 1, false), 1);
}

TEST(TileWidth, IsGreaterForShortRowsAndForRowsThatBeginAnywhereInLines) {
  if (!has_vectors()) GTEST_SKIP() << "kernels of one pencil take what shares a line";
  for (const bool amd : {false, true}) {
    EXPECT_EQ(kernels(sweep_along({2}, {64, 64, 4}), 0, amd), 4);
    SweepSpec ragged = sweep_along({1}, {30, 64, 129});
    ragged.tuning.non_temporal = NonTemporal::all;
    EXPECT_EQ(kernels(ragged, 0, amd), 8);
    for (const Index length : {2048, 4096, 8192}) {  // of longer ones four, although they leave the second-level cache
      ragged = sweep_along({1}, {3, length, 129});
      ragged.tuning.non_temporal = NonTemporal::all;
      EXPECT_EQ(kernels(ragged, 0, amd),
                std::clamp<int>((1 << 20) / static_cast<int>(ragged.axes[0].kernel->buffer_bytes()), 4, 8));
    }
  }
}

TEST(TileWidth, OfLongColumnsIsThatOfEightOnAmdsProcessorsIfTheyAreStoredPastTheCache) {
  if (!has_vectors()) GTEST_SKIP() << "kernels of one pencil take what shares a line";
  for (const Shape& shape : {Shape{2048, 1000}, Shape{4096, 4100}, Shape{1024, 128, 128}}) {
    SweepSpec columns = sweep_along({0}, shape), rows = sweep_along({shape.dims() - 1}, shape);
    EXPECT_LE(kernels(columns, 0, true), 2) << "in the cache";
    columns.tuning.non_temporal = rows.tuning.non_temporal = NonTemporal::all;
    EXPECT_EQ(kernels(columns, 0, true), 8);
    EXPECT_EQ(kernels(columns, 0, false), 1);
    EXPECT_EQ(kernels(rows, 0, true), 1);
  }
  SweepSpec shorter = sweep_along({0}, {1000, 4100});
  shorter.tuning.non_temporal = NonTemporal::all;
  EXPECT_LE(kernels(shorter, 0, true), 2);
}

TEST(TileWidth, IsWhatTheSpecSays) {
  SweepSpec spec = sweep_along({0}, {512, 512, 512});
  spec.tuning.tile = 40;
  for (const bool amd : {false, true}) EXPECT_EQ(tile_width(spec, spec.axes[0], profile(amd)).pencils, 40);
}

}  // namespace
}  // namespace shardfft::testing
