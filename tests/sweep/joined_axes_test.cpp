// Axes that are joined: every element keeps its places.
#include "sweep/joined_axes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "support/problems/layouts.hpp"
#include "support/problems/moves.hpp"
#include "sweep/pencils.hpp"

namespace shardfft::testing {
namespace {

// Place of a pencil in each patch, with the part that the patch has.
std::vector<std::tuple<Index, Index, Index>> places(const std::vector<Patch>& patches, Coord at, int swept) {
  std::vector<std::tuple<Index, Index, Index>> all;
  for (const Patch& patch : patches) {
    at[swept] = patch.box.lo[swept];
    if (patch.box.contains(at)) all.emplace_back(patch.box.lo[swept], patch.box.hi[swept], place(patch, at));
  }
  return all;
}

// Contiguous where nothing is added: boxes of a memory with gaps behind some of its axes.
Patch patch_of(const Box& box, const Shape& memory, Index offset, bool conjugated = false) {
  Patch patch{.box = box, .offset = offset, .strides = Coord::filled(box.dims(), 0), .conjugated = conjugated};
  Index step = conjugated ? -16 : 16;
  for (int a = box.dims() - 1; a >= 0; --a) patch.strides[a] = step, step *= memory[a];
  return patch;
}

TEST(JoinedAxes, KeepEveryElementWhereItIsReadAndWritten) {
  std::mt19937_64 random(9);
  int joined_some = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape shape = small_shape(random, 5, 4);
    SweepSpec spec{.axes = {{{.axis = static_cast<int>(pick(random, 0, shape.dims() - 1))}}}};
    if (shape.dims() > 1 && pick(random, 0, 3) == 0)
      spec.axes.front().other = (spec.axes.front().axis + 1) % shape.dims();
    for (auto* patches : {&spec.from, &spec.to}) {
      Shape memory = shape;
      for (int a = 0; a < shape.dims(); ++a) memory[a] += pick(random, 0, 3) == 0 ? 1 : 0;
      const int cut = static_cast<int>(pick(random, 0, shape.dims() - 1));  // two patches of one memory, or of two
      Box first = whole(shape), second = whole(shape);
      first.hi[cut] = second.lo[cut] = pick(random, 0, shape[cut]);
      for (const Box& box : {first, second})
        if (!box.empty())
          patches->push_back(
              patch_of(box, pick(random, 0, 1) ? memory : shape, pick(random, 0, 99) * 16, pick(random, 0, 4) == 0));
    }
    const int cut = static_cast<int>(pick(random, 0, shape.dims() - 1));
    Box first = whole(shape), second = whole(shape);
    first.hi[cut] = second.lo[cut] = pick(random, 0, shape[cut]);
    spec.chunks = {{first}, {second, Box{second.lo, second.lo}}};
    const SweepSpec joined = with_joined_axes(spec);
    EXPECT_EQ(moves(joined), moves(spec)) << to_string(shape) << ", axis " << spec.axes.front().axis;
    joined_some += joined.from.front().box.dims() < shape.dims();
    if (spec.axes.front().other >= 0) {
      const auto extent = [](const SweepSpec& s) { return s.from.front().box.extent(s.axes.front().other); };
      EXPECT_EQ(extent(joined), extent(spec)) << "twiddle factors go by the other axis";
    }
  }
  EXPECT_GT(joined_some, 100);
}

TEST(JoinedAxes, AreAllThatGoOnInEachOther) {
  const Shape shape{5, 4, 3, 6};
  const auto dims_of = [&](int axis, const Shape& memory) {
    return with_joined_axes({.axes = {{{.axis = axis}}},
                             .chunks = {{whole(shape)}},
                             .from = {patch_of(whole(shape), memory, 0)},
                             .to = {patch_of(whole(shape), shape, 0)}})
        .from.front()
        .box.shape();
  };
  EXPECT_EQ(dims_of(0, shape), (Shape{5, 72}));
  EXPECT_EQ(dims_of(1, shape), (Shape{5, 4, 18}));
  EXPECT_EQ(dims_of(3, shape), (Shape{60, 6}));
  EXPECT_EQ(dims_of(0, {5, 4, 3, 7}), (Shape{5, 12, 6})) << "a gap behind each row";
  EXPECT_EQ(dims_of(0, {5, 5, 3, 6}), (Shape{5, 72})) << "a gap behind the planes, which are not joined";
}

// Places of each pencil of the boxes before and after, by its number.
TEST(JoinedAxes, WhereItIsStoredKeepEveryPencilItsNumberAndItsPlace) {
  const std::uint64_t seed = 11;
  std::mt19937_64 random(seed);
  int joined_some = 0;
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    const Shape shape = small_shape(random, 5, 4);
    const int last = shape.dims() - 1, pencils = static_cast<int>(pick(random, 1, 3)),
              cut = static_cast<int>(pick(random, 0, last));
    Box first = whole(shape), second = whole(shape);
    first.hi[cut] = second.lo[cut] = pick(random, 0, shape[cut]);
    SweepSpec spec{.axes = {{{.axis = static_cast<int>(pick(random, 0, last))}}},
                   .chunks = {{first, Box{second.lo, second.lo}}, {second}}};
    Shape memory = shape;
    memory[last] += pick(random, 0, 1);  // rows that are read are apart
    spec.from = {patch_of(whole(shape), memory, 0)};
    const int patch_cut = static_cast<int>(pick(random, 0, last));
    Box upper = whole(shape), lower = whole(shape);
    upper.hi[patch_cut] = lower.lo[patch_cut] = pick(random, 0, shape[patch_cut]);
    for (const Box& box : {upper, lower})
      if (!box.empty())
        spec.to.push_back(patch_of(box, pick(random, 0, 3) == 0 ? memory : shape, pick(random, 0, 99) * 16));
    const std::optional<SweepSpec> stored = stored_with_joined_axes(spec, pencils);
    if (!stored) continue;
    ++joined_some;
    const int swept = spec.axes.front().axis;
    EXPECT_LT(stored->to.front().box.dims(), shape.dims());
    EXPECT_EQ(stored->axes.front().axis, swept);
    EXPECT_GE(shape[last], pencils);
    for (std::size_t chunk = 0; chunk < spec.chunks.size(); ++chunk)
      for (std::size_t b = 0; b < spec.chunks[chunk].size(); ++b) {
        const Box &box = spec.chunks[chunk][b], &other = stored->chunks[chunk][b];
        ASSERT_EQ(box.count(), other.count());
        if (box.empty()) continue;
        const Walk walk = walk_along(box, swept, last, pencils),
                   by = walk_along(other, swept, other.dims() - 1, pencils);
        ASSERT_EQ(pencil_count(box, walk), pencil_count(other, by));
        for (Index p = 0; p < pencil_count(box, walk); ++p)
          EXPECT_EQ(places(spec.to, pencil_at(box, walk, p).at, swept),
                    places(stored->to, pencil_at(other, by, p).at, swept))
              << to_string(shape) << ", pencil " << p;
      }
  }
  EXPECT_GT(joined_some, 40);
}

TEST(JoinedAxes, WhereItIsStoredAreThoseBehindTheSweptOneWhoseRowsHoldATile) {
  const Shape shape{5, 4, 3, 6};
  const auto stored_over = [&](int axis, const Shape& memory, int pencils) {
    const auto stored = stored_with_joined_axes({.axes = {{{.axis = axis}}},
                                                 .chunks = {{whole(shape)}},
                                                 .from = {patch_of(whole(shape), {5, 4, 3, 8}, 0)},
                                                 .to = {patch_of(whole(shape), memory, 0)}},
                                                pencils);
    return stored ? stored->to.front().box.shape() : shape;
  };
  EXPECT_EQ(stored_over(0, shape, 4), (Shape{5, 72}));
  EXPECT_EQ(stored_over(1, shape, 4), (Shape{5, 4, 18}));
  EXPECT_EQ(stored_over(2, shape, 4), shape) << "the swept axis lies between";
  EXPECT_EQ(stored_over(3, shape, 4), shape) << "nothing lies behind the swept axis";
  EXPECT_EQ(stored_over(0, {5, 4, 3, 7}, 4), shape) << "a gap behind each row";
  EXPECT_EQ(stored_over(0, {5, 4, 4, 6}, 4), (Shape{5, 4, 18})) << "a gap behind the planes";
  EXPECT_EQ(stored_over(0, shape, 7), shape) << "rows hold no tile";
}

}  // namespace
}  // namespace shardfft::testing
