// The route of a transform: its sweeps, and the exchanges between them. Index arithmetic only.
#pragma once

#include <vector>

#include "exchange/exchange.hpp"
#include "pipeline/spec.hpp"

namespace shardfft {

/// A sweep of one stage, or a copy, and what it reads and writes: an exchange by its number, or one of the caller's
/// arrays.
struct RouteStep {
  int stage = -1;               ///< -1: it only moves data
  int reads = -1, writes = -1;  ///< exchanges; negative: a caller's array
  /// Reads the caller's input: all of it, or what stays on this rank, or what the step before it left there.
  bool takes_input = false;
  bool gives_input = false;   ///< writes the caller's input, each element in its place
  bool gives_output = false;  ///< writes the caller's output: all of it, or what stays on this rank
  bool takes_output = false;  ///< reads what the step before it left in the caller's output, each element in its place
  Chunks chunks{};            ///< in which it is done
  int parts = 1;              ///< that take turns with those of the step beside it; as many chunks in each
  bool goes_on = false;       ///< part by part, the next step follows before this one goes on
  /// Extents of what the step does at once, if an exchange beside it is encoded or it measures the norm.
  Coord units{};
  bool after_norm = false;       ///< how large the caller's input is must be known before it; of the first step only
  bool measures_norm = false;    ///< it finds out how large the array is
  bool measures_result = false;  ///< likewise, of the reals at the end
};

struct Route {
  std::vector<RouteStep> steps{};
  std::vector<Exchange> exchanges{};

  /// What a step reads, what it writes; nullptr: a caller's array.
  [[nodiscard]] const Exchange* read_by(const RouteStep& step) const { return exchange(step.reads); }
  [[nodiscard]] const Exchange* written_by(const RouteStep& step) const { return exchange(step.writes); }

 private:
  [[nodiscard]] const Exchange* exchange(int number) const {
    return number < 0 ? nullptr : &exchanges[static_cast<std::size_t>(number)];
  }
};

/// Whether an operator, if there is one, leaves as many components as it takes: then what sweeps hand on has room where
/// the result lies.
[[nodiscard]] bool keeps_components(const PipelineSpec& spec);

[[nodiscard]] Route make_route(const PipelineSpec& spec);

}  // namespace shardfft
