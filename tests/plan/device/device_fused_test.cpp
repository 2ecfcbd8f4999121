// Plans with engine = fused: each sweep of one axis whose length has a kernel is one kernel, whatever the layouts and
// how often its pencils are cut.
#include <sstream>

#include "device/fused.hpp"
#include "plan/device/device_plan_case.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

struct Sweeps {
  int all = 0, fused = 0;
};
// Sweeps of both directions.
Sweeps sweeps_of(const Plan& plan) {
  Sweeps sweeps;
  std::istringstream lines(plan.describe());
  for (std::string line; std::getline(lines, line);) {
    if (line.find("  sweep ") != 0) continue;
    ++sweeps.all;
    sweeps.fused += line.find("one kernel gathers, transforms and scatters") != std::string::npos;
  }
  return sweeps;
}

Case fused(const Problem& problem, int ranks, const LayoutSpec& in, const LayoutSpec& out) {
  Case c{.seed = 17, .ranks = ranks, .problem = problem, .in = problem.shape, .out = problem.shape};
  Shape& half = problem.kind == c2r ? c.in : c.out;
  if (problem.kind != c2c) half[problem.axes.back()] = half[problem.axes.back()] / 2 + 1;
  c.options = {.input = in, .output = out, .device = space(), .expert = {.engine = "fused"}};
  return c;
}

Sweeps sweeps(const Case& c) {
  Sweeps found;
  on_ranks(c.ranks, [&](Comm comm) {
    const Plan plan(comm, c.problem, c.options);
    if (comm.rank() == 0) found = sweeps_of(plan);
  });
  return found;
}

class FusedPlans : public ::testing::Test {
 protected:
  const Variable wisdom{"SHARDFFT_WISDOM",
                        "off"};  // what was measured of this device may not say how many axes share a sweep
  void SetUp() override {
    if (space() != "emulated") GTEST_SKIP() << "lengths are those that the emulated device has kernels for";
  }
};

TEST(FusedPlansOfAnyDevice, TakeOneKernelForEverySweepOfLengthsThatAllDevicesHave) {
  if (!find_fused(device_of(0)->space())) GTEST_SKIP() << "no fused kernels were compiled in";
  for (const int ranks : {1, 2, 3})
    for (const Kind kind : {c2c, r2c, c2r})
      for (const Precision precision : {f32, f64}) {
        const Case c =
            fused({.shape = {64, 128}, .kind = kind, .precision = precision, .axes = {0, 1}, .backward = Scaling::by_n},
                  ranks, slabs(0), cyclic(1));
        check_on_devices(c);
        EXPECT_EQ(sweeps(c).fused, 4) << to_string(c);
      }
}

TEST_F(FusedPlans, TakeOneKernelForEverySweepOfAnyKindLayoutAndNumberOfRanks) {
  const std::vector<std::pair<LayoutSpec, LayoutSpec>> layouts{
      {any, any},           {slabs(0), slabs(1)},  {pencils(2), pencils(0)},
      {bricks(), bricks()}, {cyclic(1), bricks()}, {slabs(2), cyclic(2)}};
  int cases = 0;
  for (const int ranks : sanitized ? std::vector{5} : std::vector{1, 2, 3, 4, 5})
    for (const Kind kind : {c2c, r2c, c2r})
      for (const auto& [in, out] : layouts) {
        Case c = fused({.shape = {6, 10, 8},
                        .kind = kind,
                        .precision = cases % 2 ? f32 : f64,
                        .axes = {0, 1, 2},
                        .forward = Scaling::by_sqrt_n,
                        .backward = cases % 3 ? Scaling::by_n : Scaling::none},
                       ranks, in, out);
        c.options.expert.decomposition = std::array{"", "pencil", "brick"}[static_cast<std::size_t>(cases++ % 3)];
        check_on_devices(c);
        const Sweeps found = sweeps(c);
        ASSERT_FALSE(HasFailure()) << to_string(c);
        ASSERT_EQ(found.all, 6) << to_string(c);
        ASSERT_EQ(found.fused, 6) << to_string(c);
      }
}

TEST_F(FusedPlans, TakeBatchesAndOrdersOfAxesInMemory) {
  for (const int ranks : {1, 3, 4})
    for (const Kind kind : {c2c, r2c}) {
      const Case c = fused({.shape = {4, 12, 3, 10}, .kind = kind, .axes = {1, 3}, .backward = Scaling::by_n}, ranks,
                           slabs(1).ordered({2, 0, 3, 1}), slabs(3).ordered({3, 1, 0, 2}));
      check_on_devices(c);
      const Sweeps found = sweeps(c);
      EXPECT_EQ(found.fused, 4) << to_string(c);
      EXPECT_EQ(found.all, 4);
    }
}

TEST_F(FusedPlans, TakeTheLibraryForLengthsWithoutAKernel) {
  const Case odd = fused({.shape = {6, 9}, .kind = r2c, .axes = {0, 1}}, 2, slabs(0), slabs(1));
  check_on_devices(odd);
  EXPECT_EQ(sweeps(odd).all, 4);
  EXPECT_EQ(sweeps(odd).fused, 2) << "an odd number of reals is not half as many complex numbers";
  const Case lengthy = fused({.shape = {3, 5000}, .axes = {0, 1}}, 2, slabs(0), slabs(1));
  EXPECT_EQ(sweeps(lengthy).fused, 2);
  Case two = fused({.shape = {6, 8}, .axes = {0, 1}}, 1, any, any);
  two.options.expert.fuse = 2;
  check_on_devices(two);
  EXPECT_EQ(sweeps(two).fused, 0) << "two axes in one sweep are the library's";
}

// In place and not, beside the host: results that lie in the same places.
TEST_F(FusedPlans, WorkInPlace) {
  for (const int ranks : {1, 2, 5})
    for (const Kind kind : {c2c, r2c})
      for (const bool padded : {false, true}) {
        if (padded && kind == c2c) continue;
        on_ranks(ranks, [&](Comm comm) {
          const Problem problem{.shape = {10, 6, 8}, .kind = kind, .backward = Scaling::by_n};
          Options options{.input = slabs(0), .output = slabs(0), .in_place = true, .padded_reals = padded};
          Plan here(comm, problem, options);
          options.device = space(), options.expert.engine = "fused";
          Plan there(comm, problem, options);
          EXPECT_EQ(sweeps_of(there).fused, 6);
          run_in_place(
              here, there, [&](Direction direction, const std::vector<double>& x, const std::vector<double>& y) {
                // Behind the reals, or behind each row of them, lies what is nobody's.
                const bool reals = kind == r2c && direction == Direction::backward;
                const std::size_t row = reals && padded ? 10 : 8,
                                  count =
                                      reals && !padded
                                          ? static_cast<std::size_t>(here.input().boxes(comm.rank()).front().count())
                                          : x.size();
                for (std::size_t i = 0; i < count; ++i) {
                  if (reals && i % row >= 8) continue;
                  ASSERT_NEAR(x[i], y[i], 1e-12) << "number " << i << ", padded " << padded;
                }
              });
        });
      }
}

// Problems of any layouts, with gaps in the caller's memory.
TEST_F(FusedPlans, EqualTheDefinitionForRandomProblemsAndTakeOneKernelWhereTheyCan) {
  const std::uint64_t first = chosen_seed(20261125);
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(chosen_problems(60)) && !HasFailure();
       ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(seed, 1500, 5);
    c.options.device = space();
    c.options.expert.engine = "fused";
    c.options.expert.split = SplitAxis::automatic, c.options.expert.non_temporal = NonTemporal::automatic;
    c.options.expert.fuse = -1;
    c.options.expert.transport = std::array{"", "peer_kernel", "peer_copy", "via_host", "staged"}[random() % 5];
    check_on_devices(c);
    Case whole = c;  // as it is planned: without the gaps of this test
    whole.padded_in = whole.padded_out = false;
    const Sweeps found = sweeps(whole);
    const bool odd = c.problem.kind != c2c && c.problem.shape[c.problem.axes.back()] % 2 == 1;
    EXPECT_EQ(found.fused, found.all - (odd ? 2 : 0));
    if (HasFailure()) ADD_FAILURE() << "with " << to_string(c) << ", transport '" << c.options.expert.transport << "'";
  }
}

}  // namespace
}  // namespace shardfft::testing
