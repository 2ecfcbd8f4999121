// Random problems against the definition of the transform: arrays of the host, in memory of a device, and of the host
// through a device.
#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "plan/device/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

struct Family {
  const char* name;
  Case (*make)(std::uint64_t seed, Index most_elements, int most_ranks);
  bool takes_fewer;
  int costs = 1;  ///< as many problems of others
};
constexpr Family families[] = {
    {"any", random_case, false},
    {"kinds", random_case_of_kinds, false},
    {"fewer", random_case, true},
    {"fewer_of_long_rows",
     [](std::uint64_t seed, Index most, int ranks) {
       return random_case_of_long_rows(seed, most / 5, (sanitized ? 1 : 5) * most, ranks);
     },
     true, 4},
    {"fewer_of_kinds", random_case_of_kinds, true},
};

using Parameter = std::tuple<Family, Where, int>;

class RandomPlans : public ::testing::TestWithParam<Parameter> {
 protected:
  static Case made(const Family& family, const Where& where, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Case c = family.make(seed, where.most_elements, where.most_ranks);
    if (where.arrays) c = on_device(c, random, where.arrays);
    if (family.takes_fewer) take_fewer(c, random);
    return c;
  }
};

TEST_P(RandomPlans, EqualTheDefinitionInBothDirectionsAndLeaveEverythingElseAlone) {
  const auto& [family, where, group] = GetParam();
  const int count = chosen_problems(where.problems / family.costs);
  for (int i = 0; i < count && !HasFailure(); ++i) {
    const std::uint64_t seed = chosen_seed(20260101) + static_cast<std::uint64_t>(group * count + i);
    const Case c = made(family, where, seed);
    const auto& e = c.options.expert;
    const std::string text =
        fmt::format("{}, {}, engine '{}', transport '{}', tile {}, chunks {}, fuse {}, streams {}", to_string(c),
                    where.name, e.engine, e.transport, e.tile, e.chunks, e.fuse, e.streams);
    if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", text);
    try {
      where.arrays ? check_on_devices(c, std::string_view(where.arrays) == "device") : check_on_ranks(c);
      if (HasFailure()) ADD_FAILURE() << "with " << text;
    } catch (const std::exception& error) { ADD_FAILURE() << text << "\n" << error.what(); }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans,
                         ::testing::Combine(::testing::ValuesIn(families), ::testing::ValuesIn(places()),
                                            ::testing::Range(0, 8)),
                         [](const ::testing::TestParamInfo<Parameter>& one) {
                           return fmt::format("{}_{}_{}", std::get<0>(one.param).name, std::get<1>(one.param).name,
                                              std::get<2>(one.param));
                         });

}  // namespace
}  // namespace shardfft::testing
