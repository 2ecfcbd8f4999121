// The walk over a rank's elements that the examples have and users copy: a wave that it writes must have one frequency,
// and it must find that where it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numbers>
#include <vector>

#include "shardfft/shardfft.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

const Shape shape{6, 5, 8};
const Coord wave{1, 2, 3};

/// Largest distance of a spectrum's elements from what the wave's are, on all ranks.
double distance(const Comm& comm, const Options& options) {
  using Number = std::complex<double>;
  Plan plan(comm, {.shape = shape}, options);
  Array in = plan.make_input(), out = plan.make_output();
  const auto x = in.as<Number>(), y = out.as<Number>();
  for_each_element(plan.input(), comm.rank(), [&](const Coord& at, std::size_t i) {
    double turns = 0;
    for (int a = 0; a < shape.dims(); ++a)
      turns += static_cast<double>(wave[a] * at[a]) / static_cast<double>(shape[a]);
    x[i] = std::polar(1.0, 2 * std::numbers::pi * turns);
  });
  plan.forward(in, out);
  double largest = 0;
  Index seen = 0;
  for_each_element(plan.output(), comm.rank(), [&](const Coord& k, std::size_t i) {
    largest = std::max(largest, std::abs(y[i] - (k == wave ? static_cast<double>(product(shape)) : 0)));
    ++seen;
  });
  EXPECT_EQ(seen, plan.output().count(comm.rank()));
  return largest;
}

TEST(Elements, AreWalkedOverInTheOrderInWhichTheyLieWhateverTheLayout) {
  std::vector<LayoutSpec> layouts{bricks()};
  for (const int axis : {0, 1, 2}) layouts.insert(layouts.end(), {slabs(axis), pencils(axis), cyclic(axis)});
  Sample sample;
  for (const int ranks : {1, 2, 3, 7})
    for (const LayoutSpec& layout : layouts)
      for (const std::vector<int>& order : {std::vector{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}) {
        if (!sample.takes()) continue;
        const LayoutSpec ordered = layout.ordered(order);
        on_ranks(ranks, [&](Comm comm) {
          EXPECT_LT(distance(comm, {.input = ordered, .output = slabs(0), .threads = 1}), 1e-10)
              << ranks << " ranks, input " << to_string(ordered);
          EXPECT_LT(distance(comm, {.input = slabs(0), .output = ordered, .threads = 1}), 1e-10)
              << ranks << " ranks, output " << to_string(ordered);
        });
      }
}

}  // namespace
}  // namespace shardfft::testing
