// The plots of the page, each one drawing. Empty where the results have nothing to show.
#pragma once

#include <string>
#include <vector>

#include "report/data/merge.hpp"

namespace shardfft::report {

/// Forward and backward times of all libraries, with intervals and the limit.
[[nodiscard]] std::string time_chart(const Merged& merged, const Case& c);
/// What time is spent on, for libraries that tell.
[[nodiscard]] std::string phase_chart(const Merged& merged, const Case& c);
/// Error against time, both logarithmic.
[[nodiscard]] std::string accuracy_chart(const Merged& merged, const Case& c);

/// How many times the best peer's time is shardfft's, for each case.
[[nodiscard]] std::string ratio_chart(const std::vector<Comparison>& all, const Merged& merged);
/// How much of what the machine allows is reached, by shardfft and the best peer.
[[nodiscard]] std::string share_chart(const std::vector<Comparison>& all, const Merged& merged);

/// A drawing that is wider than a column of the page, in its own units.
struct WideChart {
  std::string svg{};
  double width = 0;
};
/// Ratios to the best peer by size, a lane for each kind of problem; none below 24 cases, which fit other drawings.
[[nodiscard]] WideChart map_chart(const std::vector<Comparison>& all, const Merged& merged);

/// Forward time on growing numbers of ranks or threads. `weak`: the ideal is flat, else 1/n.
[[nodiscard]] std::string growth_chart(const Merged& merged, const Growth& growth, bool weak);

}  // namespace shardfft::report
