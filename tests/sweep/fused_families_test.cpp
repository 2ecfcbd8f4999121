// Which pencils a fused kernel takes together, and where it finds their elements.
#include "device/sweep/fused_families.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/oracles/naive.hpp"

namespace shardfft::testing {
namespace {

using Place = std::pair<MoveBase, Index>;

// Place of each element of `box`, by its index along the axis and its pencil's other coordinates: as the patches say.
std::map<std::vector<Index>, Place> by_patches(const std::vector<Patch>& patches, const Box& box, const CyclicMap& map,
                                               int axis) {
  std::map<std::vector<Index>, Place> places;
  for (const Patch& patch : patches)
    for_each(intersect(patch.box, box), [&](const Coord& at) {
      Index bytes = patch.offset;
      std::vector<Index> element;
      for (int a = 0; a < at.dims(); ++a) {
        bytes += (at[a] - patch.box.lo[a]) * patch.strides[a];
        element.push_back(a == axis ? map.index(at[a]) : at[a]);
      }
      places[element] = {patch.base == Base::input ? MoveBase::input : MoveBase::output, bytes};
    });
  return places;
}

// Pencils of one end, each as the places of its elements in order.
using Pencils = std::vector<std::vector<Place>>;
Pencils by_families(const std::vector<PencilFamily>& families, bool in, Index length) {
  Pencils pencils;
  for (const PencilFamily& f : families) {
    Index count = f.pencils;
    for (int a = 0; a < f.outer_axes; ++a) count *= f.outer[a];
    for (Index i = 0; i < count; ++i) {
      std::vector<Place>& pencil = pencils.emplace_back(static_cast<std::size_t>(length));
      for (const PencilStretch& s : in ? f.from : f.to)
        for (Index e = 0; e < s.count; ++e) {
          Index rest = i, at = s.at + e * s.step + rest % f.pencils * s.pencil_step;
          rest /= f.pencils;
          for (int a = 0; a < f.outer_axes; rest /= f.outer[a++]) at += rest % f.outer[a] * s.outer_step[a];
          pencil[static_cast<std::size_t>(s.first + e * s.stride)] = {s.base, at};
        }
    }
  }
  return pencils;
}

// A box in patches that lie one after the other, each in its own order of axes.
std::vector<Patch> cut_at_random(const Box& box, Base base, Index element, std::mt19937_64& random, int cuts,
                                 Index& bytes) {
  if (cuts == 0) {
    std::vector<int> order(static_cast<std::size_t>(box.dims()));
    for (std::size_t a = 0; a < order.size(); ++a) order[a] = static_cast<int>(a);
    std::shuffle(order.begin(), order.end(), random);
    Patch patch{
        .box = box, .base = base, .offset = bytes, .strides = packed_strides(box.shape(), order, element, false)};
    bytes += box.count() * element;
    return {patch};
  }
  const int axis = static_cast<int>(random() % static_cast<std::uint64_t>(box.dims()));
  if (box.extent(axis) == 1) return cut_at_random(box, base, element, random, cuts - 1, bytes);
  Box low = box, high = box;
  low.hi[axis] = high.lo[axis] =
      box.lo[axis] + 1 + static_cast<Index>(random() % static_cast<std::uint64_t>(box.extent(axis) - 1));
  auto patches = cut_at_random(low, base, element, random, cuts - 1, bytes);
  for (Patch& p : cut_at_random(high, base, element, random, cuts - 1, bytes)) patches.push_back(p);
  return patches;
}

TEST(FusedFamilies, HaveEveryElementOfEveryPencilWhereThePatchesHaveIt) {
  std::mt19937_64 random(31);
  for (int i = 0; i < 200; ++i) {
    const int axis = static_cast<int>(random() % 3);
    const Transform1d transform =
        std::array{Transform1d::forward, Transform1d::backward, Transform1d::r2c, Transform1d::c2r}[random() % 4];
    Shape shape{1 + static_cast<Index>(random() % 4), 1 + static_cast<Index>(random() % 4),
                1 + static_cast<Index>(random() % 4)};
    SweepAxis swept{{.axis = axis, .n = 2 + 2 * static_cast<Index>(random() % 4), .transform = transform}};
    swept.owners_in = 1 + static_cast<Index>(random() % 3), swept.owners_out = 1 + static_cast<Index>(random() % 2);
    SweepSpec spec{.complex_in = swept.complex_in(), .complex_out = swept.complex_out(), .axes = {swept}};
    Shape after_shape = shape;
    shape[axis] = swept.length_in(), after_shape[axis] = swept.length_out();
    Index in_bytes = 0, out_bytes = 0;
    spec.from = cut_at_random(whole(shape), Base::input, element_bytes_in(spec), random, static_cast<int>(random() % 4),
                              in_bytes);
    spec.to = cut_at_random(whole(after_shape), Base::output, element_bytes_out(spec), random,
                            static_cast<int>(random() % 4), out_bytes);
    Box box = whole(shape);
    const int other = (axis + 1) % 3;
    box.lo[other] = static_cast<Index>(random() % static_cast<std::uint64_t>(shape[other]));

    const auto families = fused_families(spec, {box});
    ASSERT_TRUE(families);
    const auto from = by_patches(spec.from, box, {swept.length_in(), swept.owners_in}, axis),
               to = by_patches(spec.to, after(spec, box), {swept.length_out(), swept.owners_out}, axis);
    std::map<Place, std::vector<Index>> at_from, at_to;
    for (const auto& [element, place] : from) at_from[place] = element;
    for (const auto& [element, place] : to) at_to[place] = element;
    const Pencils in = by_families(*families, true, swept.length_in()),
                  out = by_families(*families, false, swept.length_out());
    EXPECT_EQ(static_cast<Index>(in.size()) * swept.length_in(), box.count()) << "case " << i;
    ASSERT_EQ(in.size(), out.size());
    for (std::size_t p = 0; p < in.size(); ++p) {
      std::vector<Index> first = at_from.at(in[p][0]);
      for (const auto& [places, known] : {std::pair(&in[p], &at_from), {&out[p], &at_to}})
        for (std::size_t k = 0; k < places->size(); ++k) {
          first[static_cast<std::size_t>(axis)] = static_cast<Index>(k);
          ASSERT_EQ(known->at((*places)[k]), first) << "case " << i << ", pencil " << p << ", element " << k;
        }
    }
  }
}

TEST(FusedFamilies, PencilsThatLieAlikeAreOneFamilyAndTheNearestOnesAreTakenTogether) {
  const Box all = whole(Shape{4, 6, 5});
  SweepSpec spec{.axes = {{{.axis = 1, .n = 6}, {}, {}, {}, 0.5}}};
  const Coord strides = packed_strides(all.shape(), {0, 1, 2}, 16, false);
  spec.from = {{.box = {{0, 0, 0}, {4, 2, 5}}, .base = Base::input, .strides = strides},
               {.box = {{0, 2, 0}, {4, 6, 5}}, .base = Base::input, .offset = 160, .strides = strides}};
  spec.to = {{.box = all, .base = Base::output, .strides = strides}};
  const auto families = fused_families(spec, {all});
  ASSERT_TRUE(families);
  ASSERT_EQ(families->size(), 1u);
  const PencilFamily& family = families->front();
  EXPECT_EQ(family.pencils, 5);
  ASSERT_EQ(family.outer_axes, 1);
  EXPECT_EQ(family.outer[0], 4);
  ASSERT_EQ(family.from.size(), 2u);
  EXPECT_EQ(family.from[1].first, 2);
  EXPECT_EQ(family.from[1].at, 160);
  EXPECT_EQ(family.from[1].step, 80);
  EXPECT_EQ(family.from[1].pencil_step, 16);
  EXPECT_EQ(family.from[1].outer_step[0], 480);
  EXPECT_EQ(fused_spec(spec).scale, 0.5);

  spec.axes = {{{.axis = 2, .n = 5}}};
  spec.from = {{.box = all, .base = Base::input, .strides = strides}};
  const auto rows = fused_families(spec, {all});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().pencils, 24) << "rows that go on in the next plane";
  EXPECT_EQ(rows->front().outer_axes, 0);
}

TEST(FusedFamilies, AreNoneWhereAnElementIsMissingOrHeldTwice) {
  const Box all = whole(Shape{2, 6});
  const Coord strides{96, 16};
  SweepSpec spec{.axes = {{{.axis = 1, .n = 6}}},
                 .from = {{.box = {{0, 0}, {2, 5}}, .strides = strides}},
                 .to = {{.box = all, .strides = strides}}};
  EXPECT_FALSE(fused_families(spec, {all}));
  spec.from.push_back({.box = {{0, 4}, {2, 6}}, .strides = strides});
  EXPECT_FALSE(fused_families(spec, {all}));
  spec.from.back().box.lo[1] = 5;
  EXPECT_TRUE(fused_families(spec, {all}));
}

}  // namespace
}  // namespace shardfft::testing
