// Axes that are joined: every element keeps its places.
#include "sweep/joined_axes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "support/layouts.hpp"

namespace shardfft::testing {
namespace {

Index place(const Patch& patch, const Coord& at) {
  Index offset = patch.offset;
  for (int a = 0; a < at.dims(); ++a) offset += (at[a] - patch.box.lo[a]) * patch.strides[a];
  return offset;
}

// Of each element of the chunks: its index along the swept axis, where it is read and where it is written.
std::vector<std::tuple<Index, Index, Index>> moves(const SweepSpec& spec) {
  std::vector<std::tuple<Index, Index, Index>> all;
  for (const auto& chunk : spec.chunks)
    for (const Box& box : chunk)
      for_each(box, [&](const Coord& at) {
        for (const Patch& from : spec.from)
          for (const Patch& to : spec.to)
            if (from.box.contains(at) && to.box.contains(at)) all.emplace_back(at[spec.axes.front().axis], place(from, at), place(to, at));
      });
  std::sort(all.begin(), all.end());
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
    SweepSpec spec{.axes = {{.axis = static_cast<int>(pick(random, 0, shape.dims() - 1))}}};
    if (shape.dims() > 1 && pick(random, 0, 3) == 0) spec.axes.front().other = (spec.axes.front().axis + 1) % shape.dims();
    for (auto* patches : {&spec.from, &spec.to}) {
      Shape memory = shape;
      for (int a = 0; a < shape.dims(); ++a) memory[a] += pick(random, 0, 3) == 0 ? 1 : 0;
      const int cut = static_cast<int>(pick(random, 0, shape.dims() - 1));  // two patches of one memory, or of two
      Box first = whole(shape), second = whole(shape);
      first.hi[cut] = second.lo[cut] = pick(random, 0, shape[cut]);
      for (const Box& box : {first, second})
        if (!box.empty()) patches->push_back(patch_of(box, pick(random, 0, 1) ? memory : shape, pick(random, 0, 99) * 16, pick(random, 0, 4) == 0));
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
    return with_joined_axes({.axes = {{.axis = axis}}, .chunks = {{whole(shape)}}, .from = {patch_of(whole(shape), memory, 0)}, .to = {patch_of(whole(shape), shape, 0)}}).from.front().box.shape();
  };
  EXPECT_EQ(dims_of(0, shape), (Shape{5, 72}));
  EXPECT_EQ(dims_of(1, shape), (Shape{5, 4, 18}));
  EXPECT_EQ(dims_of(3, shape), (Shape{60, 6}));
  EXPECT_EQ(dims_of(0, {5, 4, 3, 7}), (Shape{5, 12, 6})) << "a gap behind each row";
  EXPECT_EQ(dims_of(0, {5, 5, 3, 6}), (Shape{5, 72})) << "a gap behind the planes, which are not joined";
}

}  // namespace
}  // namespace shardfft::testing
