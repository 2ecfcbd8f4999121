// Plans on device cuda, run by what stands for CUDA: capture and launch of graphs, tiles on several streams.
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/cuda_stand_in/work.hpp"
#include "device/device.hpp"
#include "device/gpu/check.hpp"
#include "planner/decide/rank_device.hpp"
#include "shardfft/shardfft.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

// By a plan of the host from the same numbers, in two pairs of arrays in turn. Whether there were graphs.
bool expect_the_hosts_results(const Problem& problem, const Options& options) {
  const int before = graphs_launched();
  Plan there(local(), problem, options), here(local(), problem, {.wisdom = false});
  struct Pair {
    Array in, out;
  };
  std::vector<Pair> pairs;
  for (int i = 0; i < 2; ++i) pairs.push_back({there.make_input(), there.make_output()});
  Array in = here.make_input(), out = here.make_output();
  std::vector<double> x(in.bytes() / sizeof(double)), y(out.bytes() / sizeof(double)), got(y.size());
  for (int run = 0; run < 6; ++run) {
    Pair& pair = pairs[static_cast<std::size_t>(run % 2)];
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.7 * static_cast<double>(i) + run);
    const View host(x.data(), in.bytes());
    here.copy(host, in), there.copy(host, pair.in);
    here.forward(in, out), there.forward(pair.in, pair.out);
    here.copy(out, View(y.data(), out.bytes())), there.copy(pair.out, View(got.data(), out.bytes()));
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(got[i], y[i], 1e-11) << i << " of run " << run;
  }
  return graphs_launched() > before;
}

TEST(PlansOnTheStandIn, GiveTheHostsResultsByGraphsAndWithoutOnAnyNumberOfStreams) {
  for (const Kind kind : {c2c, r2c})
    for (const char* graphs : {"off", "on"})
      for (const int streams : {1, 2, 3}) {
        SCOPED_TRACE(fmt::format("{}, graphs {}, {} streams", kind == c2c ? "c2c" : "r2c", graphs, streams));
        const Variable captures("SHARDFFT_TEST_GRAPHS", graphs);
        const bool by_graphs = expect_the_hosts_results(
            {.shape = {12, 8, 10}, .kind = kind, .forward = Scaling::by_n},
            {.wisdom = false, .device = "cuda:0", .expert = {.tile = 8, .fuse = 1 + streams % 2, .streams = streams}});
        EXPECT_EQ(by_graphs, std::string_view(graphs) == "on");
      }
}

TEST(PlansOnTheStandIn, GoOnLaunchByLaunchWhereADriverMakesNoGraphs) {
  for (const GraphCall call : {GraphCall::begin, GraphCall::end, GraphCall::instantiate}) {
    fail_at(call);
    EXPECT_FALSE(expect_the_hosts_results(
        {.shape = {12, 8, 10}}, {.wisdom = false, .device = "cuda:0", .expert = {.tile = 8, .fuse = 1, .streams = 2}}));
  }
  fail_at(GraphCall::none);
}

TEST(PlansOnTheStandIn, OfTheHostAskNoDriverAsLongAsNoDeviceWasUsed) {
  if (SHARDFFT_GPU::some_used_device() >= 0) GTEST_SKIP() << "another test of this process has used a device";
  const int before = questions_asked();
  Plan plan(local(), {.shape = {12, 8, 10}}, {.wisdom = false});
  Array in = plan.make_input(), out = plan.make_output();
  plan.forward(in, out);
  plan.backward(out, in);
  EXPECT_EQ(questions_asked(), before);
  const DeviceDriver& driver = *find_driver("cuda");
  DeviceMemory memory(driver.open(0), 64, "a test");
  EXPECT_EQ(owner_of(memory.data()), (MemoryOwner{"cuda", 0})) << "then it is asked";
  EXPECT_TRUE(owner_of(in.data()).is_host());
  EXPECT_GT(questions_asked(), before);
}

}  // namespace
}  // namespace shardfft::testing
