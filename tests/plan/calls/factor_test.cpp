// A factor of one run, beside the plan's own scaling. Random plans have factors, too (checked_plan.hpp).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plan/calls/expect_error.hpp"
#include "shardfft/noise.hpp"

namespace shardfft::testing {
namespace {

void fill(Array& array, int rank) {
  double value = 0.1 * rank;
  for (double& v : array.as<double>()) v = std::sin(value += 0.7);
}

TEST(Factor, OfAPowerOfTwoChangesNothingButTheExponent) {
  on_ranks(3, [](const Comm& comm) {
    for (const LayoutSpec& out : {any, slabs(0), pencils(1)}) {
      Plan plan(comm, {.shape = {12, 10, 9}, .axes = {0, 2}}, {.input = slabs(0), .output = out});
      Array x = plan.make_input(), y = plan.make_output(), z = plan.make_output();
      fill(x, comm.rank());
      plan.forward(x, y);
      plan.start(Direction::forward, x, z, -8);
      plan.wait();
      for (std::size_t i = 0; i < y.as<double>().size(); ++i) ASSERT_EQ(z.as<double>()[i], -8 * y.as<double>()[i]);
      plan.forward(x, z);  // and none is left behind
      EXPECT_EQ(plan.hash_output(z), plan.hash_output(y));
    }
  });
}

TEST(Factor, GivesTheSameBitsOnAnyNumberOfRanks) {
  std::vector<std::uint64_t> hashes;
  for (const int ranks : {1, 2, 5})
    on_ranks(ranks, [&](const Comm& comm) {
      Plan plan(comm, {.shape = {8, 6, 20}, .kind = r2c}, {.input = slabs(0), .output = slabs(0)});
      Array x = plan.make_input(), y = plan.make_output();
      fill_with_noise(plan.input(), comm.rank(), f64, false, x, 1);
      plan.forward(x, y, 0.3);
      const std::uint64_t hash = plan.hash_output(y);
      if (comm.rank() == 0) hashes.push_back(hash);
    });
  EXPECT_EQ(hashes, std::vector<std::uint64_t>(3, hashes.front()));
}

TEST(Factor, ThatIsNoneIsRefusedOnEveryRankAndTheNextRunGoesOn) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double wrong : {0.0, inf, std::nan(""), 1e-50, 1e50}) {
    expect_error(3, Status::invalid_argument, {"a factor is finite and not 0"}, [&](const Comm& comm) {
      Plan plan(comm, {.shape = {6, 8}, .precision = f32});
      Array x = plan.make_input(), y = plan.make_output();
      plan.forward(x, y, 2);
      try {
        plan.forward(x, y, wrong);
      } catch (const Error&) {
        plan.forward(x, y, 0.5);
        throw;
      }
    });
  }
}

TEST(Factor, IsTheSameOnAllRanks) {
  expect_error(3, Status::mismatch, {"factor"}, [](const Comm& comm) {
    Plan plan(comm, {.shape = {6, 8}});
    Array x = plan.make_input(), y = plan.make_output();
    plan.forward(x, y, comm.rank() == 1 ? 2 : 1);
  });
}

TEST(Factor, OfARunIsWhatVerifyIsToldOf) {
  Plan plan(local(), {.shape = {16, 15}});
  Array x = plan.make_input(), y = plan.make_output();
  fill(x, 0);
  plan.forward(x, y, 0.2);
  EXPECT_TRUE(plan.verify(x, y, Direction::forward, 0.2).ok());
  EXPECT_FALSE(plan.verify(x, y).ok());
}

}  // namespace
}  // namespace shardfft::testing
