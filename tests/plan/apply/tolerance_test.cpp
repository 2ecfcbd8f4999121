// What apply() loses with a tolerance, of random problems and with components.
#include <gtest/gtest.h>

#include "plan/apply/kept_tolerance.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

TEST(ApplyWithTolerance, KeepsItRelativeToTheLargestFactorAndTheInput) {
  const std::vector<const char*> codecs{"block_float", "f32", "f16", "mantissa:12", "lossless"};
  Counts counts;
  const int problems = chosen_problems(60);
  for (int i = 0; i < problems; ++i) {
    const std::uint64_t seed = chosen_seed(0) + static_cast<std::uint64_t>(i);
    Case c = i % 3 == 1 ? random_case_of_kinds(seed, 4000, 6) : random_case(seed, 4000, 6);
    std::mt19937_64 random(seed);
    if (i % 4 == 2) take_fewer(c, random);
    check_in_turn(i, c, {}, codecs, counts);
    if (HasFailure()) return;
  }
  EXPECT_GT(counts.lossy, problems / 4);
  EXPECT_GT(counts.closest, 0.01);
}

// Components may change their number, and an operator is there between two encoded exchanges.
TEST(ApplyWithTolerance, GoesWithAnyNumberOfComponentsAndFewerModes) {
  for (const auto& [in, out] : {std::pair{3, 1}, {1, 3}, {6, 3}})
    for (const Kind kind : {c2c, r2c})
      on_ranks(4, [&](Comm comm) {
        const Problem problem{.shape = {in, 12, 16, 20}, .kind = kind, .axes = {1, 2, 3}, .modes = {0, 9, 11, 13}};
        Options options{.apply = Apply::to_outputs, .components_in = in, .components_out = out};
        const auto applied = [&] {
          Plan plan(comm, problem, options);
          Array x = plan.make_input(), y = plan.make_applied();
          double turn = comm.rank();
          for (double& value : x.as<double>()) value = std::sin(turn += 1.7);
          plan.apply(x, y, [](const Modes& m) {
            for (int c = m.components_in; c < m.components_out; ++c)
              std::copy_n(m.values<double>(0).data(), m.count, m.values<double>(c).data());
          });
          const auto all = y.as<double>();
          return std::pair(std::vector<double>(all.begin(), all.end()), plan.loss().bytes_before);
        };
        const auto exact = applied().first;
        options.tolerance = 1e-4;
        options.expert.codec = "block_float";
        options.expert.encode_near = true;
        const auto [lossy, bytes] = applied();
        double difference = 0, norm = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
          difference += std::pow(lossy[i] - exact[i], 2);
          norm += 1;
        }
        EXPECT_GT(bytes, 0);
        EXPECT_LT(all_sum(comm, difference), 1e-8 * std::max(in, out) * all_sum(comm, norm));
        EXPECT_GT(all_sum(comm, difference), 0);
      });
}

}  // namespace
}  // namespace shardfft::testing
