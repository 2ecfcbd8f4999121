// Index arithmetic of sweeps on a device.
#include "sweep/device_tiles.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/naive.hpp"

namespace shardfft::testing {
namespace {

SweepAxis axis(int number, Index n, Transform1d transform = Transform1d::forward) { return {.axis = number, .n = n, .transform = transform}; }

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
    const auto tiles = tiles_of(spec, box, packed_strides(box.shape(), {0, 1, 2}, 16, false), most);
    Index elements = 0;
    for (std::size_t a = 0; a < tiles.size(); ++a) {
      elements += tiles[a].count();
      EXPECT_EQ(tiles[a].extent(1), 7);
      EXPECT_LE(tiles[a].count(), std::max<Index>(most, 7)) << to_string(tiles[a]);
      for (std::size_t b = 0; b < a; ++b) EXPECT_TRUE(intersect(tiles[a], tiles[b]).empty());
    }
    EXPECT_EQ(elements, box.count());
  }
  EXPECT_TRUE(tiles_of({.axes = {axis(1, 7)}}, Box{{0, 0, 2}, {4, 7, 2}}, {1, 1, 1}, 10).empty());
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
  EXPECT_FALSE(found({axis(1, 6)}, {0, 1, 2}, all)) << "its elements are not next to each other";
  EXPECT_TRUE(found({axis(1, 6)}, {0, 2, 1}, all)->distance == 6) << "here they are";
  EXPECT_FALSE(found({axis(2, 5), axis(0, 4)}, {0, 1, 2}, all)) << "the axis in between is not transformed";
  EXPECT_TRUE(found({axis(2, 5)}, {0, 1, 2}, Box{{1, 0, 0}, {3, 6, 5}}));
  EXPECT_EQ(found({axis(2, 5)}, {0, 1, 2}, Box{{1, 0, 0}, {3, 6, 5}})->place.at, 30 * 16);
  EXPECT_FALSE(found({axis(2, 5)}, {0, 1, 2}, Box{{0, 1, 0}, {4, 3, 5}})) << "rows of one plane do not go on in the next";
  EXPECT_EQ(found({axis(2, 5)}, {0, 1, 2}, Box{{0, 1, 0}, {4, 2, 5}})->distance, 30) << "one row of each plane";
  const Box left{{0, 0, 0}, {2, 6, 5}}, right{{2, 0, 0}, {4, 6, 5}};
  EXPECT_FALSE(as_it_lies({.axes = {axis(2, 5)}}, {packed(left, {0, 1, 2}, 16), packed(right, {0, 1, 2}, 16, Base::output)}, all, true)) << "it lies in two places";
}

TEST(DeviceTiles, RealRowsBeginWhereComplexNumbersCould) {
  const SweepSpec spec{.complex_in = false, .axes = {axis(1, 5, Transform1d::r2c)}};
  Patch patch = packed(whole(Shape{4, 5}), {0, 1}, 8);
  EXPECT_TRUE(as_it_lies(spec, {patch}, whole(Shape{4, 5}), false));
  EXPECT_FALSE(as_it_lies(spec, {patch}, Box{{1, 0}, {4, 5}}, false)) << "the second row begins at an odd number of reals";
  EXPECT_TRUE(as_it_lies(spec, {patch}, Box{{2, 0}, {4, 5}}, false));
}

TEST(DeviceTiles, MovesBringEveryElementOfABoxFromWhereItIs) {
  const Box tile{{1, 0, 2}, {4, 6, 4}};
  const std::vector<Patch> patches{packed({{0, 0, 0}, {2, 6, 5}}, {2, 0, 1}, 16), packed({{2, 0, 0}, {4, 6, 5}}, {0, 1, 2}, 16, Base::output)};
  const Coord strides = packed_strides(tile.shape(), {2, 1, 0}, 16, false);
  const DevicePlace work{.base = MoveBase::work};
  Index elements = 0;
  for (const BoxMove& m : gathers(patches, tile, work, strides)) {
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
  const auto in = gathers(patches, tile, work, strides), out = scatters(patches, tile, work, strides);
  ASSERT_EQ(in.size(), out.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(in[i].from, out[i].to);
    EXPECT_EQ(in[i].to_base, out[i].from_base);
  }
}

TEST(DeviceTiles, PencilsThatAreCutAreNotGivenToAKernelAndOthersKeepTheirPlaces) {
  const Box all = whole(Shape{4, 6, 5});
  SweepSpec spec{.axes = {axis(1, 6)}, .from = {packed(all, {0, 1, 2}, 16)}, .scale = 0.5};
  const Box near{{0, 0, 0}, {4, 6, 2}}, far{{0, 0, 2}, {4, 6, 5}};
  spec.to = {packed(near, {2, 0, 1}, 16, Base::output), packed(far, {0, 1, 2}, 16, Base::output)};
  const auto parts = fused_parts(spec, Box{{1, 0, 0}, {4, 6, 5}});
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2u);
  const FusedPart& second = (*parts)[1];
  EXPECT_EQ(second.from.at, (30 + 2) * 16);
  EXPECT_EQ(second.to.at, 18 * 16);
  EXPECT_EQ(second.spec.k.extent, 6);
  EXPECT_EQ(second.spec.k.from_step, 5 * 16);
  EXPECT_EQ(second.spec.k.to_step, 3 * 16);
  EXPECT_EQ(second.spec.v.extent, 3);
  EXPECT_EQ(second.spec.v.from_step, 16);
  EXPECT_EQ(second.spec.outer_axes, 1);
  EXPECT_EQ(second.spec.outer[0].extent, 3);
  EXPECT_EQ(second.spec.scale, 0.5);
  spec.to = {packed({{0, 0, 0}, {4, 3, 5}}, {0, 1, 2}, 16, Base::output), packed({{0, 3, 0}, {4, 6, 5}}, {0, 1, 2}, 16, Base::output)};
  EXPECT_FALSE(fused_parts(spec, all)) << "each pencil goes to two places";
}

}  // namespace
}  // namespace shardfft::testing
