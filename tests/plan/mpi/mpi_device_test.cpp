// Plans on emulated devices of several processes that keep a tolerance: messages are made and read by devices, and
// carried by MPI.
#include <gtest/gtest.h>

#include "plan/approximate/beside_exact.hpp"
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
INSTANTIATE_TEST_SUITE_P(Transports, MpiDevicePlans, ::testing::Values("mpi_device", "via_host"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace shardfft::testing
