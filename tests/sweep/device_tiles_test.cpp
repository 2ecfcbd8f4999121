// Index arithmetic of sweeps on a device.
#include "device/sweep/device_tiles.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "support/oracles/naive.hpp"

namespace shardfft::testing {
namespace {

SweepAxis axis(int number, Index n, Transform1d transform = Transform1d::forward) {
  return {{.axis = number, .n = n, .transform = transform}};
}

Patch packed(const Box& box, const std::vector<int>& order, Index element_bytes, Base base = Base::input) {
  return {.box = box, .base = base, .strides = packed_strides(box.shape(), order, element_bytes, false)};
}

TEST(DeviceTiles, TransformedAxesLieInsideAndTheRealOneInnermost) {
  const SweepSpec spec{.scalar = Scalar::f32, .complex_in = false, .axes = {axis(0, 6, Transform1d::r2c), axis(2, 5)}};
  const TileForm form = form_of(spec, whole(Shape{6, 4, 5}));
  EXPECT_EQ(form.fft.n, (std::vector<Index>{5, 6}));
  EXPECT_EQ(form.fft.batch, 4);
  EXPECT_EQ(form.fft.transform, DeviceTransform::r2c);
  EXPECT_EQ(form.in_strides, (Coord{4, 4 * 30, 4 * 6}));
  EXPECT_EQ(form.out_strides, (Coord{8, 8 * 20, 8 * 4}));
  EXPECT_EQ(form.in_bytes, 6 * 4 * 5 * 4);
  EXPECT_EQ(form.out_bytes, 4 * 4 * 5 * 8);
  EXPECT_FALSE(form.same_type());
}

TEST(DeviceTiles, CutABoxWithoutGapsAlongAxesThatAreNotTransformed) {
  std::mt19937_64 random(11);
  const auto pick = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  for (int i = 0; i < 300; ++i) {
    const Box box{{pick(0, 3), 0, pick(0, 5)}, {pick(4, 9), 7, pick(6, 12)}};
    const SweepSpec spec{.axes = {axis(1, 7)}};
    const Index most = pick(1, 200);
    const auto tiles =
        tiles_of(spec, box, packed_strides(box.shape(), {0, 1, 2}, 16, false), Coord::filled(3, 1), most);
    Index elements = 0;
    for (std::size_t a = 0; a < tiles.size(); ++a) {
      elements += tiles[a].count();
      EXPECT_EQ(tiles[a].extent(1), 7);
      EXPECT_LE(tiles[a].count(), std::max<Index>(most, 7)) << to_string(tiles[a]);
      for (std::size_t b = 0; b < a; ++b) EXPECT_TRUE(intersect(tiles[a], tiles[b]).empty());
    }
    EXPECT_EQ(elements, box.count());
  }
  for (int i = 0; i < 300; ++i) {
    const Box box{{pick(0, 9), 0, pick(0, 5)}, {pick(10, 40), 7, pick(6, 40)}};
    const Coord units{pick(1, 12), 100, pick(1, 12)};
    const Index most = pick(1, 2000);
    Index elements = 0;
    for (const Box& tile :
         tiles_of({.axes = {axis(1, 7)}}, box, packed_strides(box.shape(), {0, 1, 2}, 16, false), units, most)) {
      elements += tile.count();
      EXPECT_LE(tile.count(), std::max<Index>(most, units[0] * 7 * units[2])) << to_string(tile);
      for (const int a : {0, 2}) {
        EXPECT_TRUE(tile.lo[a] == box.lo[a] || tile.lo[a] % units[a] == 0) << to_string(tile);
        EXPECT_TRUE(tile.hi[a] == box.hi[a] || tile.hi[a] % units[a] == 0) << to_string(tile);
      }
    }
    EXPECT_EQ(elements, box.count());
  }
  EXPECT_TRUE(tiles_of({.axes = {axis(1, 7)}}, Box{{0, 0, 2}, {4, 7, 2}}, {1, 1, 1}, {1, 1, 1}, 10).empty());
}

// The library may be given an array as it lies exactly when counting through the packed form counts through the memory.
TEST(DeviceTiles, TakeAnArrayAsItLiesWhenItLiesLikeThat) {
  const Box all = whole(Shape{4, 6, 5});
  const auto found = [&](const std::vector<SweepAxis>& axes, const std::vector<int>& order, const Box& box) {
    return as_it_lies({.axes = axes}, {packed(all, order, 16)}, box, true);
  };
  EXPECT_TRUE(found({axis(2, 5)}, {0, 1, 2}, all));
  EXPECT_EQ(found({axis(2, 5)}, {0, 1, 2}, all)->distance, 5);
  EXPECT_TRUE(found({axis(2, 5), axis(1, 6), axis(0, 4)}, {0, 1, 2}, all));
  EXPECT_TRUE(found({axis(2, 5), axis(1, 6)}, {0, 1, 2}, all));
  EXPECT_FALSE(found({axis(1, 6)}, {0, 1, 2}, all)) << "the pencils of one plane do not go on in the next";
  for (const auto& [number, stride, box] : {std::tuple{0, 30, all}, {1, 5, Box{{2, 0, 0}, {3, 6, 5}}}}) {
    const auto apart = found({axis(number, all.hi[number])}, {0, 1, 2}, box);
    ASSERT_TRUE(apart) << "its elements are apart, and its pencils side by side";
    EXPECT_EQ(std::pair(apart->stride, apart->distance), std::pair(Index{stride}, Index{1}));
  }
  EXPECT_TRUE(found({axis(1, 6)}, {0, 2, 1}, all)->distance == 6) << "here they are";
  EXPECT_FALSE(found({axis(2, 5), axis(0, 4)}, {0, 1, 2}, all)) << "the axis in between is not transformed";
  EXPECT_TRUE(found({axis(2, 5)}, {0, 1, 2}, Box{{1, 0, 0}, {3, 6, 5}}));
  EXPECT_EQ(found({axis(2, 5)}, {0, 1, 2}, Box{{1, 0, 0}, {3, 6, 5}})->place.at, 30 * 16);
  EXPECT_FALSE(found({axis(2, 5)}, {0, 1, 2}, Box{{0, 1, 0}, {4, 3, 5}}))
      << "rows of one plane do not go on in the next";
  EXPECT_EQ(found({axis(2, 5)}, {0, 1, 2}, Box{{0, 1, 0}, {4, 2, 5}})->distance, 30) << "one row of each plane";
  const Box left{{0, 0, 0}, {2, 6, 5}}, right{{2, 0, 0}, {4, 6, 5}};
  EXPECT_FALSE(as_it_lies({.axes = {axis(2, 5)}},
                          {packed(left, {0, 1, 2}, 16), packed(right, {0, 1, 2}, 16, Base::output)}, all, true))
      << "it lies in two places";
}

TEST(DeviceTiles, RealRowsBeginWhereComplexNumbersCould) {
  const SweepSpec spec{.complex_in = false, .axes = {axis(1, 5, Transform1d::r2c)}};
  Patch patch = packed(whole(Shape{4, 5}), {0, 1}, 8);
  EXPECT_TRUE(as_it_lies(spec, {patch}, whole(Shape{4, 5}), false));
  EXPECT_FALSE(as_it_lies(spec, {patch}, Box{{1, 0}, {4, 5}}, false))
      << "the second row begins at an odd number of reals";
  EXPECT_TRUE(as_it_lies(spec, {patch}, Box{{2, 0}, {4, 5}}, false));
}

TEST(DeviceTiles, MovesBringEveryElementOfABoxFromWhereItIs) {
  const Box tile{{1, 0, 2}, {4, 6, 4}};
  const std::vector<Patch> patches{packed({{0, 0, 0}, {2, 6, 5}}, {2, 0, 1}, 16),
                                   packed({{2, 0, 0}, {4, 6, 5}}, {0, 1, 2}, 16, Base::output)};
  const Coord strides = packed_strides(tile.shape(), {2, 1, 0}, 16, false);
  const DevicePlace work{.base = MoveBase::work};
  const SweepSpec spec{.axes = {axis(1, 6)}};
  Index elements = 0;
  for (const BoxMove& m : gathers(spec, patches, tile, work, strides)) {
    EXPECT_EQ(m.to_base, MoveBase::work);
    const Patch& patch = patches[m.from_base == MoveBase::input ? 0 : 1];
    const Box both = intersect(patch.box, tile);
    elements += both.count();
    Index from = 0, to = 0;
    for (int a = 0; a < 3; ++a) {
      EXPECT_EQ(m.extent[a], both.extent(a));
      EXPECT_EQ(m.from_step[a], patch.strides[a]);
      EXPECT_EQ(m.to_step[a], strides[a]);
      from += (both.lo[a] - patch.box.lo[a]) * patch.strides[a];
      to += (both.lo[a] - tile.lo[a]) * strides[a];
    }
    EXPECT_EQ(m.from, from);
    EXPECT_EQ(m.to, to);
  }
  EXPECT_EQ(elements, tile.count());
  const auto in = gathers(spec, patches, tile, work, strides), out = scatters(spec, patches, tile, work, strides);
  ASSERT_EQ(in.size(), out.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(in[i].from, out[i].to);
    EXPECT_EQ(in[i].to_base, out[i].from_base);
  }
}

// Hand h of 4 has indices h, h + 4, ... of an axis of 10; owners begin at 0, 3, 6, 8.
TEST(DeviceTiles, AnAxisThatIsCyclicIsPutInNaturalOrder) {
  const Box all = whole(Shape{2, 10});
  const std::vector<Patch> patches{packed({{0, 0}, {2, 5}}, {0, 1}, 16),
                                   packed({{0, 5}, {2, 10}}, {0, 1}, 16, Base::output)};
  SweepSpec spec{.axes = {axis(1, 10)}};
  spec.axes[0].owners_in = 4;
  const Coord strides{160, 16};
  std::vector<Index> place(10, -1);  // of each index, as it is counted
  for (const BoxMove& m : gathers(spec, patches, all, {.base = MoveBase::work}, strides))
    for (Index i = 0; i < m.extent[1]; ++i) {
      const Index counted = (m.from + i * m.from_step[1]) / 16 + (m.from_base == MoveBase::input ? 0 : 5),
                  index = (m.to + i * m.to_step[1]) / 16;
      EXPECT_EQ(place[static_cast<std::size_t>(index)], -1);
      place[static_cast<std::size_t>(index)] = counted;
    }
  EXPECT_EQ(place, (std::vector<Index>{0, 3, 6, 8, 1, 4, 7, 9, 2, 5}));
  EXPECT_EQ(gathers(spec, patches, all, {.base = MoveBase::work}, strides).size(), 5u)
      << "an owner that two patches share is moved twice";
  EXPECT_EQ(scatters(spec, patches, all, {.base = MoveBase::work}, strides).size(), 2u) << "what leaves is not dealt";
}

}  // namespace
}  // namespace shardfft::testing
