// Axes that are renamed as they lie in memory: every element keeps its places.
#include "sweep/memory_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/problems/layouts.hpp"
#include "support/problems/moves.hpp"

namespace shardfft::testing {
namespace {

Patch gapped(const Box& box, const std::vector<int>& order, Index gap) {
  Patch patch{.box = box, .strides = Coord::filled(box.dims(), 0)};
  Index step = 16;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    patch.strides[*axis] = step;
    step = step * box.extent(*axis) + gap;
  }
  return patch;
}

std::vector<int> shuffled_axes(std::mt19937_64& random, int dims) {
  std::vector<int> order(static_cast<std::size_t>(dims));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

TEST(MemoryOrder, NamesTheFastestAxisLastAndKeepsEveryElementWhereItIs) {
  std::mt19937_64 random(10);
  for (int i = 0; i < 300; ++i) {
    const Shape shape = small_shape(random, 5, 4);
    const std::vector<int> order = shuffled_axes(random, shape.dims());
    const int swept = static_cast<int>(pick(random, 0, shape.dims() - 1)),
              other = shape.dims() > 1 && pick(random, 0, 1) ? (swept + 1) % shape.dims() : -1;
    SweepSpec spec{.axes = {{{.axis = swept}}}};
    spec.axes.front().other = spec.axes.front().weights.other = other;
    const int cut = static_cast<int>(pick(random, 0, shape.dims() - 1));
    Box first = whole(shape), second = whole(shape);
    first.hi[cut] = second.lo[cut] = pick(random, 0, shape[cut]);
    spec.chunks = {{first}, {second}};
    spec.from = {gapped(whole(shape), order, 0)};
    for (const Box& box : {first, second})
      if (!box.empty()) spec.to.push_back(gapped(box, order, 64));
    const SweepSpec renamed = with_axes_in_memory_order(spec);
    EXPECT_EQ(moves(renamed), moves(spec)) << to_string(shape) << ", case " << i;
    const SweepAxis& axis = renamed.axes.front();
    EXPECT_EQ(renamed.from.front().box.extent(axis.axis), shape[swept]) << "case " << i;
    EXPECT_EQ(axis.other, axis.weights.other);
    if (other >= 0) { EXPECT_EQ(renamed.from.front().box.extent(axis.other), shape[other]) << "case " << i; }
    for (const auto* patches : {&renamed.from, &renamed.to})
      for (const Patch& patch : *patches) {
        std::vector<Index> steps;  // of axes that have more than one element
        for (int a = 0; a < shape.dims(); ++a)
          if (patch.box.extent(a) > 1) steps.push_back(patch.strides[a]);
        EXPECT_TRUE(std::is_sorted(steps.rbegin(), steps.rend())) << to_string(shape) << ", case " << i;
      }
  }
}

TEST(MemoryOrder, StaysWhereBothSidesLieInDifferentOrders) {
  const Box box = whole(Shape{4, 5, 6});
  const SweepSpec spec{.axes = {{{.axis = 1}}},
                       .chunks = {{box}},
                       .from = {gapped(box, {2, 1, 0}, 0)},
                       .to = {gapped(box, {0, 1, 2}, 0)}},
      turned{.axes = {{{.axis = 1}}}, .chunks = {{box}}, .from = spec.to, .to = spec.from};
  EXPECT_EQ(with_axes_in_memory_order(spec).from.front().strides, spec.from.front().strides);
  EXPECT_EQ(with_axes_in_memory_order(turned).from.front().strides, turned.from.front().strides);
}

}  // namespace
}  // namespace shardfft::testing
