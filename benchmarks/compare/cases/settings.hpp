// How everything is measured, the same for all libraries.
#pragma once

#include <cstdint>
#include <limits>

#include "case.hpp"

namespace shardfft::compare {

constexpr std::uint64_t largest_seed = std::numeric_limits<std::int64_t>::max();  // as large as peers can read

struct Settings {
  int launches = 6;  ///< of each library and case; fewer than 6 give no 95 % interval
  int iterations = 7, warmup = 2;
  int plan_seconds = 60;      ///< that a best call may take to choose its plan
  double time_limit_s = 600;  ///< of one launch
  std::uint64_t seed = 1;
  friend bool operator==(const Settings&, const Settings&) = default;
};

/// Seconds after which a launch may be ended.
[[nodiscard]] bool is_time_limit(double seconds);

[[nodiscard]] Json to_json(const Settings& s);
/// Without the seed, which stands beside the settings in a results file. Throws nlohmann's exceptions, and Error where
/// a number is out of its range.
[[nodiscard]] Settings settings_from(const Json& json, std::uint64_t seed);

}  // namespace shardfft::compare
