// Operators on devices with a tolerance: the same promise as on the host.
#include <fmt/format.h>

#include <array>

#include "plan/apply/kept_tolerance.hpp"
#include "plan/device/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

TEST(DeviceApplyWithTolerance, KeepsItRelativeToTheLargestFactorAndTheInput) {
  const std::array codecs{"", "block_float", "f32", "f16", "bf16", "block_float_bytes", "lossless"};
  Counts counts;
  const int problems = chosen_problems(60);
  for (int i = 0; i < problems; ++i) {
    const std::uint64_t seed = chosen_seed(20261129) + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    Case c = on_device(i % 3 == 1 ? random_case_of_kinds(seed, 4000, 6) : random_case(seed, 4000, 6), random, "device");
    if (i % 4 == 2) take_fewer(c, random);
    const bool fourier = c.problem.kinds.empty();
    c.problem.forward = fourier ? Scaling::none : Scaling::orthonormal;
    c.problem.backward = fourier ? Scaling::by_n : Scaling::orthonormal;
    c.ranks = std::max(c.ranks, 2);
    Options options{.threads = 1,
                    .apply = i % 2 == 0 ? Apply::to_outputs : Apply::to_inputs,
                    .device = c.options.device,
                    .expert = c.options.expert};
    options.expert.split = SplitAxis::automatic;
    options.expert.codec = codecs[static_cast<std::size_t>(i) % codecs.size()];
    if (c.problem.precision == f64 && i % 5 == 0) options.guarantee = "worst";
    if (i % 5 == 1) options.guarantee = "statistical";
    const double tolerance = std::pow(10, -(c.problem.precision == f32 ? 2 + i % 3 : 2 + i % 9));
    if (options.expert.codec == std::string("f32") && c.problem.precision == f32) options.expert.codec = "f16";
    SCOPED_TRACE(fmt::format("{} on {} ranks, codec {}, engine '{}', transport '{}', tolerance {}, seed {}",
                             to_string(c.problem), c.ranks, options.expert.codec, options.expert.engine,
                             options.expert.transport, tolerance, seed));
    on_ranks(c.ranks, [&](Comm comm) {
      c.problem.precision == f32 ? check<float>(comm, c.problem, options, tolerance, counts)
                                 : check<double>(comm, c.problem, options, tolerance, counts);
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(counts.lossy, problems / 4);
  EXPECT_GT(counts.closest, 0.01);
}

}  // namespace
}  // namespace shardfft::testing
