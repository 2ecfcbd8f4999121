// One long axis in two halves on devices: as on the host, so that ranks share it out.
#include "grid/axis_split.hpp"
#include "plan/device/device_plan_case.hpp"
#include "support/problems/layouts.hpp"

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
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(chosen_problems(80)) && !HasFailure();
       ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(seed, 1500, 6);
    const auto any_of = [&](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
    const std::string arrays = seed % 3 ? "device" : "host";
    c.options.expert.split = SplitAxis::always;
    c.options.expert.axis_order.clear();
    c.options.device = space();
    c.options.arrays = arrays;
    c.options.expert.engine = arrays == "device" && space() == "emulated" ? any_of("", "fused") : "";
    c.options.expert.transport = arrays == "device" ? any_of("", "peer_kernel", "peer_copy", "staged", "via_host") : "";
    c.options.expert.fuse = any_of(-1, 1, 2, 3);
    c.options.expert.tile = any_of(0, 0, 1, 7, 1000);
    c.options.expert.chunks = any_of(0, 1, 3);
    c.options.expert.non_temporal = NonTemporal::automatic;
    if (random() % 2) c.options.input = cyclic(static_cast<int>(random() % static_cast<std::uint64_t>(c.in.dims())));
    if (c.options.input.kind == LayoutSpec::Kind::any) c.padded_in = false;
    several += c.problem.axes.size() > 1;
    check_on_devices(c, arrays == "device");
    if (HasFailure())
      ADD_FAILURE() << "with " << to_string(c) << ", arrays " << arrays << ", engine '" << c.options.expert.engine
                    << "', transport '" << c.options.expert.transport << "', fuse " << c.options.expert.fuse;
  }
  EXPECT_GT(several, 0);
}

// Half of a hermitian spectrum lies downwards, as conjugates.
TEST(DeviceSplitPlans, EqualTheDefinitionForOneRealAxisWhateverTheLayoutsAndOptions) {
  const std::uint64_t first = chosen_seed(20261126);
  int split = 0, all = 0;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(chosen_problems(50)) && !HasFailure();
       ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(seed, 1500, 6);
    const auto any_of = [&](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
    const std::string arrays = random() % 3 ? "device" : "host";
    take_one_real_axis(c, /*to_reals=*/seed % 2 == 0, random);
    const auto layout = [&](const Shape& shape) {
      const std::vector<LayoutSpec> kinds = layouts_of_every_kind(random, shape, c.ranks);
      return kinds[random() % kinds.size()];
    };
    c.options.input = layout(c.in), c.options.output = layout(c.out);
    c.options.expert.decomposition.clear();
    c.options.expert.axis_order.clear();
    c.options.expert.split = SplitAxis::always;
    c.options.device = space();
    c.options.arrays = arrays;
    c.options.expert.engine = arrays == "device" && space() == "emulated" ? any_of("", "fused") : "";
    c.options.expert.transport = arrays == "device" ? any_of("", "peer_kernel", "peer_copy", "staged", "via_host") : "";
    c.options.expert.fuse = any_of(-1, 1);
    c.options.expert.tile = any_of(0, 0, 1, 7, 1000);
    c.options.expert.chunks = any_of(0, 1, 3);
    c.options.expert.non_temporal = NonTemporal::automatic;
    c.padded_in = random() % 2, c.padded_out = random() % 2;
    check_on_devices(c, arrays == "device");
    if (HasFailure())
      ADD_FAILURE() << "with " << to_string(c) << ", arrays " << arrays << ", engine '" << c.options.expert.engine
                    << "', transport '" << c.options.expert.transport << "'";
    if (c.in.dims() == max_dims ||
        !balanced_split(c.problem.axes.front(), c.problem.shape[c.problem.axes.front()], 2, true))
      continue;  // no room for one axis more, or no halves
    ++all;
    split += splits(c.problem, c.options, c.ranks);
  }
  EXPECT_EQ(split, all);
}

TEST(DeviceSplitPlans, OfOneRealAxisGiveInPlaceWhatTheHostGives) {
  for (const int ranks : {1, 2, 3})
    for (const int axis : {0, 1})
      on_ranks(ranks, [&](Comm comm) {
        const Problem problem{.shape = {3, 120}, .kind = r2c, .axes = {1}, .backward = Scaling::by_n};
        Options options{
            .input = slabs(axis), .output = slabs(axis), .in_place = true, .expert = {.split = SplitAxis::always}};
        Plan here(comm, problem, options);
        options.device = space();
        Plan there(comm, problem, options);
        run_in_place(here, there, [&](Direction direction, const std::vector<double>& x, const std::vector<double>& y) {
          const Layout& layout = direction == Direction::forward ? here.output() : here.input();
          std::size_t count = 0;
          for (const Box& box : layout.boxes(comm.rank()))
            count += static_cast<std::size_t>(box.count()) * (direction == Direction::forward ? 2 : 1);
          for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(x[i], y[i], 1e-12) << "number " << i;
        });
      });
}

TEST(DeviceSplitPlans, AreChosenWhereAnAxisIsAloneOnSeveralRanks) {
  const Options natural{.input = slabs(0), .output = slabs(0), .device = space()};
  EXPECT_TRUE(splits({.shape = {1 << 16}}, natural, 3));
  EXPECT_FALSE(splits({.shape = {1 << 16}}, natural, 1)) << "the library does long ones well";
  EXPECT_FALSE(splits({.shape = {1000}}, natural, 3)) << "short";
  EXPECT_FALSE(splits({.shape = {16, 1 << 16}, .axes = {1}}, natural, 3)) << "each rank has whole pencils";
  EXPECT_TRUE(splits({.shape = {1 << 16}, .kind = r2c}, natural, 3));
  EXPECT_TRUE(splits({.shape = {1 << 16}, .kind = c2r}, natural, 2));
  Options lossy = natural;
  lossy.tolerance = 1e-3;
  EXPECT_FALSE(splits({.shape = {1 << 16}, .kind = r2c}, lossy, 3))
      << "codecs do not know that elements stand for others";
  Options through = natural;
  through.arrays = "host";
  EXPECT_TRUE(splits({.shape = {1 << 16}}, through, 2));
  Options never = natural;
  never.expert.split = SplitAxis::never;
  EXPECT_FALSE(splits({.shape = {1 << 16}}, never, 3));
}

TEST(DeviceSplitPlans, GiveWhatTheHostGivesOfALongAxis) {
  constexpr Index n = sanitized ? 3 << 12 : 3 << 14;
  for (const Kind kind : {c2c, r2c, c2r})
    for (const std::string arrays : {"device", "host"})
      for (const auto& [in, out] : {std::pair{slabs(0), slabs(0)}, {cyclic(0), cyclic(0)}, {cyclic(0), slabs(0)}})
        on_ranks(4, [&, &in = in, &out = out](Comm comm) {
          const Problem problem{.shape = {n}, .kind = kind};
          Plan there(comm, problem, {.input = in, .output = out, .device = space(), .arrays = arrays}),
              here(comm, problem, {.input = in, .output = out});
          EXPECT_NE(there.describe().find("split axis 0"), std::string::npos) << there.describe();
          const auto local = [&](const Layout& layout, bool complex) {
            return LocalData<double>(packed_memory(layout, comm.rank()), complex);
          };
          LocalData<double> x = local(here.input(), kind != r2c), back = local(here.input(), kind != r2c),
                            y = local(here.output(), kind != c2r), got = local(here.output(), kind != c2r);
          if (kind == c2r) {  // the spectrum of reals
            y.fill(random_array({n}, false, 3));
            here.backward(y.view(), x.view());
          } else {
            x.fill(random_array({n}, kind == c2c, 3));
          }
          const auto device = arrays == "device" ? device_of(comm.rank()) : nullptr;
          Mirror<double> from(x, device), to(got, device), again(back, device);
          there.forward(from.view(), to.view());
          to.pull(there);
          here.forward(x.view(), y.view());
          for (std::size_t i = 0; i < y.raw().size(); ++i)
            ASSERT_NEAR(got.raw()[i], y.raw()[i], kind == c2r ? 1e-8 : 1e-11) << i;
          there.backward(to.view(), again.view());
          again.pull(there);
          for (std::size_t i = 0; i < x.raw().size(); ++i)
            ASSERT_NEAR(back.raw()[i], x.raw()[i], kind == c2r ? 1e-10 : 1e-13) << i;
        });
}

}  // namespace
}  // namespace shardfft::testing
