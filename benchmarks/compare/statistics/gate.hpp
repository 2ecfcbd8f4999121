// Has shardfft become slower than it was? For continuous integration.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compare/results/results.hpp"

namespace shardfft::compare {

/// What is compared with the baseline: shardfft's times, or its times / those of a peer in the same turn, which another
/// machine does not change as much.
enum class GateBy { automatic, times, ratios };
/// "auto", "times", "ratios". Throws Error(invalid_argument).
[[nodiscard]] GateBy parse_gate_by(const std::string& text);

/// One direction of one case and call.
struct GateRow {
  std::string work{}, library{}, call{}, direction{};
  std::string verdict{};                              ///< "same", "slower", "faster", "undecided", "missing", "no time"
  std::string note{};                                 ///< the peer of a ratio, or why there is no time
  double before = 0, now = 0;                         ///< medians: seconds, or ratios to the peer
  double change = 0, p_value = 1;                     ///< now / before - 1; one-sided, that it is only chance
  std::size_t launches_before = 0, launches_now = 0;  ///< that were compared
  [[nodiscard]] bool has_values() const { return launches_now > 0; }
};

struct GateReport {
  std::vector<GateRow> rows{};
  std::vector<std::string> notes{};  ///< what a reader must know: another machine, too few launches
  bool missing_ok = false;
  [[nodiscard]] bool fails(const GateRow& row) const;
  [[nodiscard]] bool passed() const;
  [[nodiscard]] std::string text() const;
};

/// Calls of shardfft.
using Calls = std::set<std::string>;
/// Throws Error(mismatch) that names the first difference, where other settings than the baseline's, or none of its
/// calls, would be compared with it. The number of launches may differ.
void require_comparable(const Results& baseline, const Settings& now, const Calls& calls);

/// Slower means: the median is more than 3 % larger, and with p < 0.01 (Mann-Whitney's U, one-sided, one value per
/// launch) that is not chance. Rows of so few launches that p could not be as small as that, and ratios without a peer
/// in both, are "undecided" and fail: a gate that cannot fail must not pass. So do cases that the new results lack
/// ("missing"), unless that is `missing_ok`, and those in which shardfft had a time and has none now. Contestants of
/// shardfft with options are judged like shardfft. With GateBy::automatic, times are compared on the same machine
/// (processor and cores), else ratios. Throws Error(invalid_argument) where nothing can be compared, and what
/// require_comparable throws.
[[nodiscard]] GateReport gate(const Results& baseline, const Results& now, GateBy by, bool missing_ok = false);

}  // namespace shardfft::compare
