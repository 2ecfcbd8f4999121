// Results that no machine can have: what they are compared with was measured while others used the cores.
#pragma once

#include <string>

namespace shardfft::cli {

/// A line of its own where a run took `times` the limit and that is above 120 % of what the limit allows; else nothing.
[[nodiscard]] inline std::string beyond_limit(const char* what, double times) {
  constexpr double most = 1.2;
  if (!(times > 0) || times * most >= 1) return {};
  return std::string(what) +
         ": faster than 120 % of the measured limit: other programs used the machine while that was measured\n";
}

}  // namespace shardfft::cli
