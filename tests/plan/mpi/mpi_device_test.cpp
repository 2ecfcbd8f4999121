// Plans on emulated devices of several processes that keep a tolerance: messages are made and read by devices, and
// carried by MPI.
#include <gtest/gtest.h>

#include "plan/approximate/beside_exact.hpp"
#include "plan/checked_plan.hpp"
#include "support/ranks/mpi_world.hpp"

namespace shardfft::testing {
namespace {

class MpiDevicePlans : public ::testing::TestWithParam<std::string> {};

TEST_P(MpiDevicePlans, KeepATolerance) {
  for (const int ranks_per_node : {1, 2}) {
    const Comm comm = world(ranks_per_node);
    if (comm.nodes() == 1) continue;
    for (const Kind kind : {c2c, r2c, c2r})
      for (const char* guarantee : {"certified", "statistical"})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
          const Problem problem{.shape = {30, 28, 34}, .kind = kind};
          const Options options{.input = bricks(),
                                .output = bricks(),
                                .tolerance = 1e-4,
                                .guarantee = guarantee,
                                .threads = 1,
                                .device = "emulated",
                                .expert = {.transport = GetParam(), .chunks = 2}};
          const bool complex_in = kind == c2c || (kind == r2c) == (direction == Direction::backward);
          const Shape shape = complex_in && kind != c2c ? Shape{30, 28, 18} : problem.shape;
          const auto b =
              beside_exact<double>(comm, problem, options, data_of(0, shape, complex_in, 5, false), direction);
          EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic) << to_string(problem) << " " << guarantee;
          EXPECT_LE(b.loss.bound, options.tolerance) << to_string(problem) << " " << guarantee;
          if (complex_in && kind != c2c) continue;  // no half spectrum of reals: it may be done again, exactly
          EXPECT_GT(b.loss.encoded, 0);
          EXPECT_LT(b.loss.bits, 24);
        }
  }
}

TEST_P(MpiDevicePlans, CarryRealsBetweenAxesOfCosinesAndSines) {
  const auto check = [&]<class T>(T limit, Precision precision) {
    const Comm comm = world(2);
    const Problem problem{.shape = {12, 10, 15},
                          .kind = r2r,
                          .precision = precision,
                          .axes = {0, 1, 2},
                          .kinds = {AxisKind::cosine2, AxisKind::sine1, AxisKind::cosine4}};
    Plan plan(comm, problem,
              {.input = bricks(), .output = bricks(), .device = "emulated", .expert = {.transport = GetParam()}});
    LocalData<T> host(packed_memory(plan.input(), comm.rank()), false);
    const Whole x = random_array(problem.shape, false, 9);
    host.fill(x);
    Array in = plan.make_input(), out = plan.make_output();
    const auto expect = [&](const Array& found, const Whole& expected) {
      plan.copy(found, host.view());
      const auto [difference, norm] = host.compare(expected, 1);
      EXPECT_LT(std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), limit);
    };
    plan.copy(host.view(), in);
    plan.forward(in, out);
    expect(out, transformed(problem, x, Direction::forward));
    plan.backward(out, in);
    expect(in, x);
  };
  check(2e-15, f64);
  check(1e-6F, f32);
}
INSTANTIATE_TEST_SUITE_P(Transports, MpiDevicePlans, ::testing::Values("mpi_device", "via_host"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace shardfft::testing
