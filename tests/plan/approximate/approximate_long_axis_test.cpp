// One real axis that ranks share, with a tolerance: its exchanges are encoded but those of the half spectrum itself.
#include <gtest/gtest.h>

#include "plan/approximate/kept_promise.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

Approximation made(std::uint64_t seed) {
  Approximation a = random_approximation(seed, 60, 400, 6);
  std::mt19937_64 random(seed);
  take_one_real_axis(a.c, /*to_reals=*/seed % 2 != 0, random);
  const int axis = a.c.problem.axes.front();
  if (seed % 3 != 0) {  // alone, and longer
    a.c.problem.axes = {0};
    a.c.problem.shape = a.c.in = a.c.out = {pick(random, 5, 40) * pick(random, 5, 40)};
    (seed % 2 != 0 ? a.c.in : a.c.out)[0] = a.c.problem.shape[0] / 2 + 1;
  } else {
    a.c.problem.axes = {axis};
  }
  const auto layout = [&](const Shape& shape) {
    const std::vector<LayoutSpec> all = layouts_of_every_kind(random, shape, a.c.ranks);
    return all[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(all.size()) - 1))];
  };
  a.c.options.input = layout(a.c.in), a.c.options.output = layout(a.c.out);
  a.c.options.expert.decomposition.clear();
  a.c.options.expert.ranks_grid = {};
  a.c.options.expert.axis_order.clear();
  a.c.options.expert.split = SplitAxis::always;
  return a;
}

TEST(ApproximateLongAxis, KeepsItsPromiseForOneRealAxisWhateverTheLayoutsAndOptions) {
  keep_the_promise(
      30, made, [](const Approximation& a) { return to_string(a); },
      [](Plan& plan, Direction direction, bool in_place, const auto& from, const auto& to, double factor) {
        run(plan, direction, in_place, from, to, factor);
      });
}

TEST(ApproximateLongAxis, SendsFewerBytesOfOneRealAxis) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    on_ranks(4, [&](Comm comm) {
      const Options o{.input = slabs(0),
                      .output = slabs(0),
                      .tolerance = 1e-3,
                      .threads = 1,
                      .expert = {.encode_near = true, .split = SplitAxis::always}};
      const Problem p{.shape = {1 << 14}, .kind = r2c};
      const bool forward = direction == Direction::forward;
      const Whole x = random_array({forward ? p.shape[0] : p.shape[0] / 2 + 1}, !forward, 9);
      const Beside<double> b = beside_exact<double>(comm, p, o, x, direction);
      EXPECT_LE(b.relative(), b.loss.bound);
      EXPECT_LE(b.loss.bound, 1e-3);
      EXPECT_GT(b.loss.encoded, 0);
      EXPECT_LT(b.loss.bytes_after, b.loss.bytes_before / 3);
      // Three exchanges, of which that of the half spectrum, half of the bytes of one of complex numbers, is sent as it
      // is.
      EXPECT_GT(b.loss.bytes_before, 0.7 * 2 * 8.0 * static_cast<double>(p.shape[0]));
    });
}

}  // namespace
}  // namespace shardfft::testing
