// What a flow was like, for people and programs.
#pragma once

#include <string>
#include <vector>

#include "output/costs.hpp"
#include "shardfft/solvers/navier_stokes.hpp"

namespace shardfft::cli {

/// After a step.
struct FlowMoment {
  Index steps = 0;
  double time = 0;
  solvers::FlowSums sums{};
  double dissipation = 0;
};
[[nodiscard]] FlowMoment moment_of(const solvers::NavierStokes& flow);

/// Seconds of one step, averaged over ranks: part by part, in the columns in which others break such a step down.
struct FlowShares {
  std::vector<std::pair<std::string, double>> parts{};
  double total = 0;
};
/// Collective. Of `steps` steps.
[[nodiscard]] FlowShares shares_of(const Comm& comm, const solvers::FlowSeconds& seconds, Index steps);

[[nodiscard]] std::string shares_table(const FlowShares& shares);
[[nodiscard]] Json shares_json(const FlowShares& shares);
/// At most so many rows, the first and the last among them.
[[nodiscard]] std::string moments_table(const std::vector<FlowMoment>& moments);
[[nodiscard]] std::string moments_csv(const std::vector<FlowMoment>& moments);
/// The lines of `record`, which moments_csv() wrote to `file`, and behind them those of later moments. Throws
/// Error(invalid_argument) unless the record ends with the first moment.
[[nodiscard]] std::string continued_csv(const std::string& file, const std::string& record,
                                        const std::vector<FlowMoment>& moments);
[[nodiscard]] std::string spectrum_csv(const std::vector<double>& shells);

}  // namespace shardfft::cli
