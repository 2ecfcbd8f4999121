// Predictions for several numbers of ranks, and where their character changes.
#pragma once

#include <string>
#include <vector>

#include "shardfft/programs/predict.hpp"

namespace shardfft::cli {

struct ScalingRow {
  Shape shape{};
  Prediction predicted{};
  double efficiency = 1;  ///< of the ranks, beside the first row
};

/// Twice as many ranks from row to row, from `first` to `last`. strong: one problem, and a row for `last`; else an axis
/// twice as long with each doubling, beginning with axis 0, so that a rank keeps its number of elements.
[[nodiscard]] std::vector<ScalingRow> scaling_rows(const Cluster& cluster, Problem problem, const Options& options,
                                                   int first, int last, int ranks_per_node, bool strong);
/// "pencil from 128 ranks on, slab before", a line each.
[[nodiscard]] std::vector<std::string> crossovers(const std::vector<ScalingRow>& rows);
[[nodiscard]] std::string table_text(const std::vector<ScalingRow>& rows, bool strong);

/// "1.2 ms", or "0.8 ms to 3 ms" where one number would claim too much.
[[nodiscard]] std::string time_text(const Prediction& p);
[[nodiscard]] std::string band_text(const Prediction& p);

}  // namespace shardfft::cli
