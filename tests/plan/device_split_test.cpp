// One long axis in two halves on devices: as on the host, so that ranks share it out.
#include "plan/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

bool splits(const Problem& problem, const Options& options, int ranks) {
  bool found = false;
  on_ranks(ranks, [&](Comm comm) {
    const Plan plan(comm, problem, options);
    if (comm.rank() == 0) found = plan.describe().find("split axis") != std::string::npos;
  });
  return found;
}

TEST(DeviceSplitPlans, EqualTheDefinitionWhateverTheLayoutsAxesAndOptions) {
  const std::uint64_t first = chosen_seed(20261125);
  int several = 0;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(chosen_problems(80)) && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(seed, 1500, 6);
    const auto any_of = [&](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
    const std::string arrays = seed % 3 ? "device" : "host";
    c.options.split = 1;
    c.options.axis_order.clear();
    c.options.device = space();
    c.options.arrays = arrays;
    c.options.engine = arrays == "device" && space() == "pretended" ? any_of("", "fused") : "";
    c.options.transport = arrays == "device" ? any_of("", "peer_kernel", "peer_copy", "staged", "via_host") : "";
    c.options.fuse = any_of(-1, 1, 2, 3);
    c.options.tile = any_of(0, 0, 1, 7, 1000);
    c.options.chunks = any_of(0, 1, 3);
    c.options.stream = -1;
    if (random() % 2) c.options.input = cyclic(static_cast<int>(random() % static_cast<std::uint64_t>(c.in.dims())));
    if (c.options.input.kind == LayoutSpec::Kind::any) c.padded_in = false;
    several += c.problem.axes.size() > 1;
    check_on_devices(c, arrays == "device");
    if (HasFailure()) ADD_FAILURE() << "with " << to_string(c) << ", arrays " << arrays << ", engine '" << c.options.engine << "', transport '" << c.options.transport << "', fuse " << c.options.fuse;
  }
  EXPECT_GT(several, 0);
}

TEST(DeviceSplitPlans, AreChosenWhereAnAxisIsAloneOnSeveralRanks) {
  const Options natural{.input = slabs(0), .output = slabs(0), .device = space()};
  EXPECT_TRUE(splits({.shape = {1 << 16}}, natural, 3));
  EXPECT_FALSE(splits({.shape = {1 << 16}}, natural, 1)) << "the library does long ones well";
  EXPECT_FALSE(splits({.shape = {1000}}, natural, 3)) << "short";
  EXPECT_FALSE(splits({.shape = {16, 1 << 16}, .axes = {1}}, natural, 3)) << "each rank has whole pencils";
  EXPECT_FALSE(splits({.shape = {1 << 16}, .kind = r2c}, natural, 3)) << "moves do not conjugate";
  Options through = natural;
  through.arrays = "host";
  EXPECT_TRUE(splits({.shape = {1 << 16}}, through, 2));
  Options never = natural;
  never.split = 0;
  EXPECT_FALSE(splits({.shape = {1 << 16}}, never, 3));
}

TEST(DeviceSplitPlans, GiveWhatTheHostGivesOfALongAxis) {
  constexpr Index n = 3 << 14;
  for (const std::string arrays : {"device", "host"})
    for (const auto& [in, out] : {std::pair{slabs(0), slabs(0)}, {cyclic(0), cyclic(0)}, {cyclic(0), slabs(0)}})
      on_ranks(4, [&, &in = in, &out = out](Comm comm) {
        Plan there(comm, {.shape = {n}}, {.input = in, .output = out, .device = space(), .arrays = arrays}), here(comm, {.shape = {n}}, {.input = in, .output = out});
        EXPECT_NE(there.describe().find("split axis 0"), std::string::npos) << there.describe();
        LocalData<double> x(packed_memory(here.input(), comm.rank()), true), y(packed_memory(here.output(), comm.rank()), true), got(packed_memory(here.output(), comm.rank()), true), back(packed_memory(here.input(), comm.rank()), true);
        x.fill(random_array({n}, true, 3));
        const auto device = arrays == "device" ? device_of(comm.rank()) : nullptr;
        Mirror<double> from(x, device), to(got, device), again(back, device);
        there.forward(from.view(), to.view());
        to.pull(there);
        here.forward(x.view(), y.view());
        for (std::size_t i = 0; i < y.raw().size(); ++i) ASSERT_NEAR(got.raw()[i], y.raw()[i], 1e-11) << i;
        there.backward(to.view(), again.view());
        again.pull(there);
        for (std::size_t i = 0; i < x.raw().size(); ++i) ASSERT_NEAR(back.raw()[i], x.raw()[i], 1e-13) << i;
      });
}

}  // namespace
}  // namespace shardfft::testing
