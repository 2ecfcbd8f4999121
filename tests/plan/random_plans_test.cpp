// Random problems against the definition of the transform.
#include <gtest/gtest.h>

#include <cstdlib>

#include <fmt/format.h>

#include "plan/checked_plan.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

std::uint64_t first_seed() { return chosen_seed(20260101); }

class RandomPlans : public ::testing::TestWithParam<int> {};

TEST_P(RandomPlans, EqualTheDefinitionOfTheTransformInBothDirectionsAndLeaveEverythingElseAlone) {
  const int per_group = chosen_problems(12);
  for (int i = 0; i < per_group && !HasFailure(); ++i) {
    const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(GetParam() * per_group + i);
    const Case c = random_case(seed, 2500, 12);
    if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", to_string(c));
    try {
      check_on_ranks(c);
      if (HasFailure()) ADD_FAILURE() << "with " << to_string(c);
    } catch (const std::exception& e) { ADD_FAILURE() << to_string(c) << "\n" << e.what(); }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, ::testing::Range(0, 20));

}  // namespace
}  // namespace shardfft::testing
