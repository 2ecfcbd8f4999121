// Arrays that a plan meets again: its second run with them is captured, and from then on a sweep is asked for with one
// call. Tiles of a sweep take turns on several queues.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <complex>
#include <memory>
#include <vector>

#include "device/emulated/scheduler.hpp"
#include "plan/device/device_plan_case.hpp"
#include "shardfft/operators/spectral.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

/// Two arrays of a test, on the host and on the device.
template <class T>
struct Arrays {
  LocalData<T> in, out;
  Mirror<T> from, to;
  Arrays(const Plan& plan, const Problem& p, const std::shared_ptr<Device>& device)
      : in(packed_memory(plan.input(), plan.comm().rank()), complex_in(p)),
        out(packed_memory(plan.output(), plan.comm().rank()), complex_out(p)),
        from(in, device),
        to(out, device) {}
};

// Two pairs of arrays in turn, each four times in both directions; the last times with another factor.
template <class T>
void check_again_and_again(const Case& c, const Comm& comm) {
  const Rank rank{c, comm, std::mt19937_64(c.seed)};
  Plan plan(comm, c.problem, c.options);
  // What is cut takes its part of the norm, and leaves the rest with the errors of all.
  const auto bound = [&](const Shape& result) {
    const auto cut = static_cast<double>(product(c.problem.shape)) / static_cast<double>(product(result));
    return (c.problem.precision == f32 ? 1.2e-6 : 2.4e-15) * (is_pruned(c.problem) ? std::sqrt(cut) : 1);
  };
  const std::unique_ptr<Arrays<T>> pairs[]{std::make_unique<Arrays<T>>(plan, c.problem, device_of(comm.rank())),
                                           std::make_unique<Arrays<T>>(plan, c.problem, device_of(comm.rank()))};
  for (int run = 0; run < 8; ++run) {
    SCOPED_TRACE(fmt::format("run {}", run));
    Arrays<T>& a = *pairs[run % 2];
    const double by = factor_of_runs(c) * (run >= 6 && c.options.expert.engine != "fused" ? 0.5 : 1);
    const Whole x = random_array(c.in, complex_in(c.problem), c.seed + static_cast<std::uint64_t>(run)),
                y = random_array(c.out, complex_out(c.problem), c.seed + static_cast<std::uint64_t>(100 + run));
    a.in.fill(x), a.from.push();
    plan.forward(a.from.view(), a.to.view(), by);
    a.to.pull(plan);
    EXPECT_LT(rank.error(a.out.compare(transformed(c.problem, x, Direction::forward),
                                       by * factor(c.problem, c.problem.forward))),
              bound(c.out));
    a.out.fill(y), a.to.push();
    plan.backward(a.to.view(), a.from.view(), by);
    a.from.pull(plan);
    EXPECT_LT(rank.error(a.in.compare(transformed(c.problem, y, Direction::backward),
                                      by * factor(c.problem, c.problem.backward))),
              bound(c.in));
  }
}

TEST(DeviceGraphs, OfRandomPlansGiveTheDefinitionInEveryRunWithEveryNumberOfStreams) {
  const std::uint64_t first = chosen_seed(20261128);
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(chosen_problems(60)) && !HasFailure();
       ++seed) {
    std::mt19937_64 random(seed);
    Case c =
        on_device(seed % 5 == 0 ? random_case_of_kinds(seed, 1500, 4) : random_case(seed, 1500, 4), random, "device");
    if (seed % 7 == 0) take_fewer(c, random);
    c.padded_in = c.padded_out = false;
    c.options.expert.streams = 1 + static_cast<int>(seed % 3);
    c.options.expert.tile = seed % 4 == 0 ? 0 : static_cast<int>(1 + random() % 12);
    on_ranks(c.ranks, [&](const Comm& comm) {
      c.problem.precision == f32 ? check_again_and_again<float>(c, comm) : check_again_and_again<double>(c, comm);
    });
    if (HasFailure())
      ADD_FAILURE() << "with " << to_string(c) << ", engine '" << c.options.expert.engine << "', transport '"
                    << c.options.expert.transport << "', tile " << c.options.expert.tile << ", streams "
                    << c.options.expert.streams;
  }
}

// In place, against a plan of the host that goes the same way from the same numbers.
TEST(DeviceGraphs, InPlaceGiveTheHostsResultsInEveryRun) {
  for (const Kind kind : {c2c, r2c})
    for (const int streams : {1, 2, 3})
      for (const int ranks : {1, 2})
        on_ranks(ranks, [&](const Comm& comm) {
          const Problem problem{.shape = {12, 10, 8}, .kind = kind};
          Options options{.input = slabs(0), .output = slabs(0), .in_place = true, .padded_reals = kind == r2c};
          Plan here(comm, problem, options);
          options.device = space(), options.expert.tile = 6, options.expert.streams = streams;
          Plan there(comm, problem, options);
          Array mine = here.make_input(), its = there.make_input();
          ASSERT_EQ(mine.bytes(), its.bytes());
          std::vector<double> x(mine.bytes() / sizeof(double)), y(x.size());
          const View host(x.data(), mine.bytes()), back(y.data(), mine.bytes());
          std::mt19937_64 random(static_cast<std::uint64_t>(comm.rank()));
          for (int run = 0; run < 4; ++run) {
            for (double& v : x) v = std::uniform_real_distribution<>(-1, 1)(random);
            here.copy(host, mine), there.copy(host, its);
            here.forward(mine, mine), there.forward(its, its);
            here.copy(mine, host), there.copy(its, back);
            for (std::size_t i = 0; i < x.size(); ++i)
              ASSERT_NEAR(x[i], y[i], 1e-11) << i << " of run " << run << ", streams " << streams;
            here.backward(mine, mine), there.backward(its, its);
            here.copy(mine, host), there.copy(its, back);
            if (kind == r2c) continue;  // what lies behind a row of reals is nobody's
            for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-12) << i << " of run " << run;
          }
        });
}

class DeviceLaunches : public ::testing::Test {
 protected:
  void SetUp() override {
    if (space() != "emulated") GTEST_SKIP() << "only the emulated device counts what it is asked for";
  }
  Problem problem{.shape = {64, 32, 32}, .backward = Scaling::by_n};
  /// Results of runs forward in one pair of arrays, one after the other.
  [[nodiscard]] std::vector<std::uint64_t> launches(int streams, int runs) const {
    Plan plan(local(), problem, {.device = space(), .expert = {.tile = 256, .fuse = 2, .streams = streams}});
    const Array in = plan.make_input(), out = plan.make_output();
    std::vector<std::uint64_t> all;
    for (int run = 0; run < runs; ++run) {
      const std::uint64_t before = emulated::scheduler().launches();
      plan.forward(in, out);
      all.push_back(emulated::scheduler().launches() - before);
    }
    plan.synchronize();
    return all;
  }
  [[nodiscard]] std::vector<std::uint64_t> launches_without_graphs(int runs) const {
    const Variable off("SHARDFFT_TEST_GRAPHS", "off");
    return launches(0, runs);
  }
};

TEST_F(DeviceLaunches, OfASweepAreOneFromTheSecondRunOn) {
  const auto direct = launches_without_graphs(3);
  EXPECT_GE(direct[0], 8u);
  EXPECT_EQ(direct, std::vector(3, direct[0]));
  for (const int streams : {1, 2})
    EXPECT_EQ(launches(streams, 4), (std::vector<std::uint64_t>{direct[0], 2, 2, 2})) << "two sweeps";
}

// Planes in 8 tiles, and the slow axis in 4, scaled or not.
TEST_F(DeviceLaunches, OfAScaledDirectionAreOneMoreForEachTileOfPlanesAlone) {
  const Variable off("SHARDFFT_TEST_GRAPHS", "off");
  problem.forward = Scaling::none;
  const std::uint64_t unscaled = launches(1, 1)[0];
  problem.forward = Scaling::by_n;
  EXPECT_EQ(unscaled, 8U + 4U);
  EXPECT_EQ(launches(1, 1)[0], 2U * 8U + 4U);
}

// Two operators in turn, on the same arrays: a graph is that of its operator.
TEST_F(DeviceLaunches, OfASweepWithAnOperatorAreOneFromItsSecondRunOn) {
  const Options options{.apply = Apply::to_outputs, .wisdom = false, .expert = {.fuse = 2}};
  Options there_options = options;
  there_options.device = space(), there_options.expert.tile = 256;
  Plan here(local(), problem, options), there(local(), problem, there_options);
  const std::vector<double> box(3, 1.0);
  std::vector<double> numbers(here.input_bytes() / sizeof(double));
  std::mt19937_64 random(7);
  for (double& x : numbers) x = std::uniform_real_distribution<>(-1, 1)(random);
  Array in = here.make_input(), out = here.make_applied(), in_there = there.make_input(),
        out_there = there.make_applied();
  here.copy(numbers, in), there.copy(numbers, in_there);
  const Operator widths[][2] = {{spectral::gaussian(here, box, 0.1), spectral::gaussian(there, box, 0.1)},
                                {spectral::gaussian(here, box, 0.2), spectral::gaussian(there, box, 0.2)}};
  std::vector<std::uint64_t> counted;
  for (int run = 0; run < 6; ++run) {
    here.apply(in, out, widths[run % 2][0]);
    const std::uint64_t before = emulated::scheduler().launches();
    there.apply(in_there, out_there, widths[run % 2][1]);
    counted.push_back(emulated::scheduler().launches() - before);
    std::vector<double> expected(numbers.size()), got(numbers.size());
    here.copy(out, expected), there.copy(out_there, got);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-12) << i << " of run " << run;
  }
  EXPECT_GE(counted[0], 30U);
  EXPECT_GE(counted[1], 10U) << "a new operator";
  for (int run = 2; run < 6; ++run)
    EXPECT_EQ(counted[static_cast<std::size_t>(run)], 3U) << "three sweeps, run " << run;
}

TEST_F(DeviceLaunches, AreAsManyAsBeforeWhereTheDriverCapturesNothing) {
  const Variable none("SHARDFFT_EMULATED_GRAPHS", "0");
  EXPECT_EQ(launches(0, 3), launches_without_graphs(3));
}

// Asked for all at once, so that graphs must live until the device has done with them.
TEST(DeviceGraphs, OfMoreArraysThanAreKeptAreRightBeforeTheyGo) {
  const Problem problem{.shape = {16, 12, 10}};
  Plan plan(local(), problem, {.device = space(), .expert = {.tile = 12, .fuse = 1, .streams = 2}});
  constexpr std::size_t count = 16 * 12 * 10;
  std::vector<std::pair<Array, Array>> arrays;
  for (int pair = 0; pair < 7; ++pair) {
    arrays.emplace_back(plan.make_input(), plan.make_output());
    const std::vector<std::complex<double>> values(count, pair + 1.0);
    plan.copy(View(values.data(), sizeof values[0] * count), arrays.back().first);
  }
  for (int round = 0; round < 2; ++round)
    for (auto& [in, out] : arrays)
      for (int run = 0; run < 3; ++run) plan.forward(in, out);
  for (std::size_t pair = 0; pair < arrays.size(); ++pair) {
    std::vector<std::complex<double>> got(count);
    plan.copy(arrays[pair].second, View(got.data(), sizeof got[0] * count));
    EXPECT_NEAR(std::abs(got[0] - static_cast<double>((pair + 1) * count)), 0, 1e-9) << pair;
    for (std::size_t i = 1; i < count; ++i) ASSERT_LT(std::abs(got[i]), 1e-9) << pair << ", " << i;
  }
}

TEST(DeviceStreams, AreToldByThePlanAndTakeWorkMemoryEach) {
  const auto plan = [](int streams) {
    return Plan(local(), {.shape = {64, 32, 32}},
                {.device = space(), .expert = {.tile = 256, .fuse = 1, .streams = streams}});
  };
  const Plan one = plan(0), two = plan(2);
  EXPECT_NE(one.describe().find("streams 1"), std::string::npos) << one.describe();
  EXPECT_NE(two.describe().find("streams 2 (option)"), std::string::npos) << two.describe();
  EXPECT_EQ(two.workspace_bytes(), 2 * one.workspace_bytes());
}

TEST(DeviceStreams, AreTwoForTwoPassesUnlessAnotherNumberIsAskedFor) {
  if (space() != "emulated") GTEST_SKIP() << "sizes are those of the emulated device's cache";
  const auto streams = [](ExpertOptions expert) {
    return nlohmann::json::parse(
        Plan(local(), {.shape = {64, 32, 32}}, {.wisdom = false, .device = space(), .expert = std::move(expert)})
            .describe_json())["recipe"]["streams"];
  };
  EXPECT_EQ(streams({}), "2");
  EXPECT_EQ(streams({.fuse = 2}), "2");
  for (const int fuse : {1, 3}) EXPECT_EQ(streams({.fuse = fuse}), "1");
  EXPECT_EQ(streams({.engine = "fused"}), "1");
  EXPECT_EQ(streams({.streams = 1}), "1");
}

}  // namespace
}  // namespace shardfft::testing
