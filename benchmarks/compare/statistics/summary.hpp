// One entry in a few numbers.
#pragma once

#include <optional>

#include "compare/results/results.hpp"
#include "statistics.hpp"

namespace shardfft::compare {

/// Times of an entry, largest errors, and what the launches cost; numbers that a launch did not know are absent.
struct Summary {
  Sample forward{}, backward{};
  std::optional<Sample> ratio{},
      ratio_backward{};                 ///< this library's time / shardfft's, turn by turn; absent without shardfft
  double plan_s = 0, plan_first_s = 0;  ///< median over launches; that of the first, which remembered nothing
  double first_call_s = 0, error = 0, error_backward = 0;
  std::optional<double> memory_peak_bytes{}, bytes_sent_network{}, energy_j{}, energy_gpus_j{};
};

/// Absent unless every launch so far was good.
[[nodiscard]] std::optional<Summary> summary_of(const Entry& entry, const CaseResult& in);
/// A summary as the results file has it; null if there is none.
[[nodiscard]] Json summary_json(const Entry& entry, const CaseResult& in);

/// Ratios of the launches' medians in the turns that both have.
[[nodiscard]] std::vector<double> turn_ratios(const Entry& entry, const Entry& reference,
                                              std::vector<double> LaunchRecord::* direction);

}  // namespace shardfft::compare
