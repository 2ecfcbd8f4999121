// Cyclic layouts on devices: as on the host, the axis is ordered by owner.
#include <complex>
#include <numbers>

#include "plan/device/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

TEST(DeviceCyclicPlans, EqualTheDefinitionWhateverTheOtherLayoutsAxesAndOptions) {
  const std::uint64_t first = chosen_seed(20261124);
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(chosen_problems(80)) && !HasFailure();
       ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(seed, 1500, 8);
    const auto round_robin = [&] {
      return cyclic(static_cast<int>(random() % static_cast<std::uint64_t>(c.in.dims())));
    };
    const auto ends = random() % 4;
    if (ends != 1) c.options.input = round_robin();
    if (ends != 0) c.options.output = round_robin();
    if (c.options.input.kind == LayoutSpec::Kind::any) c.padded_in = false;
    if (c.options.output.kind == LayoutSpec::Kind::any) c.padded_out = false;
    const std::string arrays = seed % 3 ? "device" : "host";
    c = on_device(c, random, arrays);
    c.options.expert.split = SplitAxis::automatic;
    check_on_devices(c, arrays == "device");
    if (HasFailure())
      ADD_FAILURE() << "with " << to_string(c) << ", arrays " << arrays << ", engine '" << c.options.expert.engine
                    << "', transport '" << c.options.expert.transport << "'";
  }
}

// Arrays that the plan made lie where it pleases: whoever fills them and who transforms them must agree on that.
TEST(DeviceCyclicPlans, OfArraysThatThePlanMadeEqualTheDefinition) {
  for (const std::string arrays : {"device", "host"})
    for (const int ranks : {2, 3})
      on_ranks(ranks, [&](Comm comm) {
        Plan plan(comm, {.shape = {60}},
                  {.input = cyclic(0), .output = cyclic(0), .device = space(), .arrays = arrays});
        Array in = plan.make_input(), out = plan.make_output();
        // exp(2 pi i 7 j / 60), whose spectrum is 60 at index 7 and 0 elsewhere.
        std::vector<std::complex<double>> x, y(static_cast<std::size_t>(out.bytes() / 16));
        for (Index j = comm.rank(); j < 60; j += ranks)
          x.push_back(std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(7 * j) / 60));
        ASSERT_EQ(x.size() * 16, in.bytes());
        plan.copy(View(x.data(), in.bytes()), in);
        plan.forward(in, out);
        EXPECT_TRUE(plan.verify(in, out).ok());
        plan.copy(out, View(y.data(), out.bytes()));
        for (std::size_t i = 0; i < y.size(); ++i) {
          const Index k = comm.rank() + static_cast<Index>(i) * ranks;
          EXPECT_NEAR(std::abs(y[i] - (k == 7 ? 60.0 : 0.0)), 0, 1e-12)
              << "element " << k << ", arrays on the " << arrays;
        }
      });
}

// With a box for every index this would take minutes.
TEST(DeviceCyclicPlans, OfLongAxesAreAsThoseOfSlabs) {
  constexpr Index n = 1 << 16;
  for (const std::string arrays : {"device", "host"})
    on_ranks(4, [&](Comm comm) {
      const Problem problem{.shape = {n}};
      Plan there(comm, problem,
                 {.input = cyclic(0),
                  .output = slabs(0),
                  .device = space(),
                  .arrays = arrays,
                  .expert = {.split = SplitAxis::never}}),
          here(comm, problem, {.input = cyclic(0), .output = slabs(0)});
      EXPECT_NE(there.describe().find("cyclic over 4 before"), std::string::npos) << there.describe();
      const Whole x = random_array({n}, true, 3);
      LocalData<double> in(packed_memory(here.input(), comm.rank()), true),
          out(packed_memory(here.output(), comm.rank()), true);
      in.fill(x);
      const auto device = arrays == "device" ? device_of(comm.rank()) : nullptr;
      LocalData<double> got(packed_memory(there.output(), comm.rank()), true);
      Mirror<double> from(in, device), to(got, device);
      there.forward(from.view(), to.view());
      to.pull(there);
      here.forward(in.view(), out.view());
      for (std::size_t i = 0; i < out.raw().size(); ++i) ASSERT_NEAR(got.raw()[i], out.raw()[i], 1e-11) << i;
    });
}

}  // namespace
}  // namespace shardfft::testing
