// Operators on devices with a tolerance: the same promise as on the host.
#include <algorithm>
#include <array>
#include <limits>

#include "plan/apply/kept_tolerance.hpp"
#include "plan/device/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

TEST(DeviceApplyWithTolerance, KeepsItRelativeToTheLargestFactorAndTheInput) {
  const std::array codecs{"", "block_float", "f32", "f16", "lossless"};
  Counts counts;
  const int problems = chosen_problems(60);
  for (int i = 0; i < problems; ++i) {
    const std::uint64_t seed = chosen_seed(20261129) + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    Case c = on_device(i % 3 == 1 ? random_case_of_kinds(seed, 4000, 6) : random_case(seed, 4000, 6), random, "device");
    if (i % 4 == 2) take_fewer(c, random);
    Options options{.device = c.options.device, .expert = c.options.expert};
    options.expert.split = SplitAxis::automatic;
    check_in_turn(i, c, options, codecs, counts);
    if (HasFailure()) return;
  }
  EXPECT_GT(counts.lossy, problems / 4);
  EXPECT_GT(counts.closest, 0.01);
}

TEST(DeviceApplyWithTolerance, SendsAboutAsManyBitsAsTheHost) {
  for (const Kind kind : {c2c, r2c})
    for (const char* codec : {"block_float", "f32", "f16"})
      on_ranks(4, [&](const Comm& comm) {
        const auto bits = [&](const std::string& device) {
          Plan plan(comm, {.shape = {48, 40, 36}, .kind = kind},
                    {.input = slabs(0),
                     .tolerance = 1e-3,
                     .apply = Apply::to_outputs,
                     .device = device,
                     .expert = {.codec = codec, .encode_near = true}});
          std::vector<double> x(plan.input_bytes() / sizeof(double));
          std::mt19937_64 random(static_cast<std::uint64_t>(comm.rank()));
          for (double& v : x) v = std::uniform_real_distribution<>(-1, 1)(random);
          Array in = plan.make_input(), out = plan.make_applied();
          plan.copy(x, in);
          plan.apply(in, out, factors<double>(plan, false));
          plan.synchronize();
          const Loss loss = plan.loss();
          EXPECT_GT(loss.bytes_before, 0);
          return loss.bits;
        };
        const double there = bits(space()), here = bits("");
        EXPECT_LE(there, 1.1 * here) << to_string(Problem{.shape = {48, 40, 36}, .kind = kind}) << " " << codec;
      });
}

TEST(DeviceApplyWithTolerance, KeepsItBesideNumbersWhoseSquaresHaveNoSum) {
  for (const double size : {0.0, 1e-200, 1e200, std::numeric_limits<double>::infinity()})
    on_ranks(3, [&](const Comm& comm) {
      const auto applied = [&](const char* codec) {
        Options o{.input = slabs(0), .apply = Apply::to_outputs, .device = space()};
        o.expert.encode_near = true;
        if (*codec) o.tolerance = 1e-2, o.expert.codec = codec;
        Plan plan(comm, {.shape = {8, 12, 10}}, o);
        std::vector<double> x(plan.input_bytes() / sizeof(double), 1);
        if (comm.rank() == 1) std::ranges::fill(x, size);
        Array in = plan.make_input(), out = plan.make_applied();
        plan.copy(x, in);
        plan.apply(in, out, factors<double>(plan, false));
        plan.copy(out, x);
        return x;
      };
      const auto exact = applied(""), found = applied("block_float");
      for (std::size_t i = 0; i < exact.size(); ++i)
        if (std::isfinite(exact[i]))
          ASSERT_NEAR(found[i], exact[i], 1e-2 * largest * std::sqrt(8 * 12 * 10) * std::max(size, 1.0)) << size;
        else
          ASSERT_EQ(std::isfinite(found[i]), false) << size;
    });
}

}  // namespace
}  // namespace shardfft::testing
