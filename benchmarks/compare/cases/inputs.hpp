// The words of `shardfft compare`, and what they ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case_request.hpp"
#include "compare/results/results.hpp"

namespace shardfft::compare {

struct CompareWords {
  std::string shapes{}, kinds{}, precisions{}, layouts{}, ranks{}, batches{},
      grids{};         ///< lists with commas; empty: not said
  std::string axes{};  ///< of every case
  std::optional<int> nodes{}, max_nodes{};
  std::string with{}, call{}, cases{}, study{};
  std::optional<int> launches{}, iterations{}, warmup{}, plan_seconds{};
  std::optional<double> time_limit_s{};
  std::optional<std::int64_t> seed{};
  std::string json{}, gate{}, gate_by = "auto", gated{};
  bool resume = false, retry = false, oversubscribe = false, gate_missing_ok = false;
};

struct Inputs {
  std::vector<CaseRequest> requests{};
  Settings settings{};
};

/// Cases from the command line, from a case file, or, with neither, those of the `baseline` of a gate; settings from
/// the command line, else from there, else the usual ones. `cores` of this machine are the ranks where nobody says.
/// Throws Error(invalid_argument) for words that mean nothing or contradict each other.
[[nodiscard]] Inputs inputs_of(const CompareWords& words, const Results* baseline, int cores);

}  // namespace shardfft::compare
