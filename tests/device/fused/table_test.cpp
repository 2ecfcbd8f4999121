// What a fused kernel is told of its pencils, and where it keeps them.
#include <gtest/gtest.h>

#include <set>

#include "device/kernels/fused_shape.hpp"
#include "device/kernels/fused_table.hpp"
#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

constexpr FusedSpec c2c{.n = 64}, r2c{.transform = DeviceTransform::r2c, .n = 128};

PencilFamily family(const FusedSpec& spec, const std::vector<PencilStretch>& from) {
  PencilStretch to{.count = spec.length_out(), .step = 16, .pencil_step = spec.length_out() * 16};
  return {.pencils = 9, .from = from, .to = {to}};
}
FusedTableView about(const FusedSpec& spec, const std::vector<PencilFamily>& families) {
  return make_fused_table(spec, families).about;
}

TEST(FusedTable, PencilsThatOneStretchHasNeedNoSearchAndNoTileIfTheirElementsAreNearest) {
  const PencilFamily along = family(c2c, {{.count = 64, .step = 16, .pencil_step = 1024}}),
                     across = family(c2c, {{.count = 64, .step = 1024, .pencil_step = 16}}),
                     cut = family(c2c, {{.count = 32, .step = 16, .pencil_step = 1024},
                                        {.first = 32, .count = 32, .at = 512, .step = 16, .pencil_step = 1024}}),
                     cyclic = family(c2c, {{.stride = 2, .count = 32, .step = 16, .pencil_step = 1024},
                                           {.first = 1, .stride = 2, .count = 32, .step = 16, .pencil_step = 1024}});
  EXPECT_TRUE(about(c2c, {along}).from.lone);
  EXPECT_TRUE(about(c2c, {along}).from.straight);
  EXPECT_TRUE(about(c2c, {across}).from.lone);
  EXPECT_FALSE(about(c2c, {across}).from.straight);
  for (const auto& families : {std::vector{cut}, {cyclic}, {along, along}}) {
    EXPECT_FALSE(about(c2c, families).from.lone);
    EXPECT_FALSE(about(c2c, families).from.straight);
  }
  EXPECT_TRUE(about(c2c, {cut}).to.straight);
  FusedSpec of_parts = c2c;
  of_parts.n = 768;
  const PencilFamily joined = family(of_parts, {{.count = 768, .step = 16, .pencil_step = 768 * 16}});
  EXPECT_TRUE(about(of_parts, {joined}).from.lone);
  EXPECT_FALSE(about(of_parts, {joined}).from.straight) << "parts are put together in the tile";
}

TEST(FusedTable, RealsThatLieAsPairsAreReadAsComplexNumbersAndOthersOneByOne) {
  const PencilStretch pairs{.count = 128, .step = 8, .pencil_step = 1040};
  const auto seen = about(r2c, {family(r2c, {pairs})});
  EXPECT_FALSE(seen.from.scalars);
  EXPECT_TRUE(seen.from.straight);
  EXPECT_EQ(seen.from.stretch.step, 16);
  EXPECT_EQ(seen.from.stretch.end, 64);
  EXPECT_FALSE(seen.to.straight) << "a half spectrum has an element more";
  for (const auto& change : std::initializer_list<void (*)(PencilStretch&)>{
           [](PencilStretch& s) { s.at = 8; }, [](PencilStretch& s) { s.pencil_step = 1048; },
           [](PencilStretch& s) { s.step = 1024; }, [](PencilStretch& s) { s.at = 127 * 8, s.step = -8; }}) {
    PencilStretch other = pairs;
    change(other);
    const auto one_by_one = about(r2c, {family(r2c, {other})});
    EXPECT_TRUE(one_by_one.from.scalars);
    EXPECT_FALSE(one_by_one.from.straight);
  }
  PencilStretch odd = pairs, rest = pairs;
  odd.count = 63, rest.first = 63, rest.count = 65, rest.at = 64 * 8;
  EXPECT_TRUE(about(r2c, {family(r2c, {odd, rest})}).from.scalars);
}

TEST(FusedTable, RefusesMoreBlocksThanAreCountedIn32Bits) {
  PencilFamily many = family(c2c, {{.count = 64, .step = 16}});
  many.outer_axes = 2, many.outer[0] = many.outer[1] = Index{1} << 16;
  EXPECT_THROW((void)make_fused_table(c2c, std::span(&many, 1)), Error);
}

/// A GPU serves 128 bytes at once: the threads that read them touch different banks, whichever way they go.
template <class T, int at_once, int parts, int m>
void expect_no_conflicts() {
  using Shape = FusedShape<at_once, at_once * 32, m / 32, parts, m>;
  constexpr FusedTile<T, Shape> tile;
  std::set<int> across, along, back_across, back_along, own;
  for (int i = 0; i < tile.banks; ++i) {
    across.insert(tile.before(i % at_once, Shape::first_across(true, i / at_once)) % tile.banks);
    along.insert(tile.before(1, i) % tile.banks);
    back_across.insert(tile.after(i % at_once, Shape::first_across(false, i / at_once)) % tile.banks);
    back_along.insert(tile.after(1, i) % tile.banks);
    own.insert((tile.start(1) + i) % tile.banks);
  }
  for (const auto* banks : {&across, &along, &back_across, &back_along, &own})
    EXPECT_EQ(banks->size(), std::size_t{tile.banks}) << "m " << m << ", bytes " << sizeof(T);
  std::set<int> places;
  for (int v = 0; v < at_once; ++v)
    for (int k = 0; k <= m; ++k) places.insert(tile.after(v, k)), places.insert(-1 - tile.before(v, k));
  EXPECT_EQ(places.size(), std::size_t{2 * at_once * (m + 1)});
  EXPECT_LT(*places.rbegin(), tile.elements());
  EXPECT_LT(-1 - *places.begin(), tile.elements());
}

TEST(FusedTile, NeighboursLieInDifferentBanksAndEveryElementHasItsPlace) {
  expect_no_conflicts<float, 8, 1, 64>();
  expect_no_conflicts<float, 8, 1, 448>();
  expect_no_conflicts<float, 8, 4, 768>();
  expect_no_conflicts<float, 4, 1, 2048>();
  expect_no_conflicts<float, 4, 4, 1280>();
  expect_no_conflicts<double, 4, 1, 96>();
  expect_no_conflicts<double, 4, 1, 512>();
  expect_no_conflicts<double, 4, 4, 640>();
  expect_no_conflicts<double, 2, 1, 2048>();
  expect_no_conflicts<double, 2, 4, 1536>();
}

}  // namespace
}  // namespace shardfft::testing
