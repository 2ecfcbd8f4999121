#include "predict/scaling.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "output/table.hpp"

namespace shardfft::cli {

std::string band_text(const Prediction& p) {
  return fmt::format("{} to {}", seconds_text(p.least_s), seconds_text(p.most_s));
}

std::string time_text(const Prediction& p) { return p.extrapolates ? "-" : seconds_text(p.seconds); }

std::vector<ScalingRow> scaling_rows(const Cluster& cluster, Problem problem, const Options& options, int first,
                                     int last, int ranks_per_node, bool strong) {
  std::vector<ScalingRow> rows;
  int axis = 0;
  for (Index ranks = first; ranks <= last;
       ranks = strong && ranks < last ? std::min<Index>(2 * ranks, last) : 2 * ranks) {
    if (!strong && !rows.empty()) problem.shape[axis++ % problem.shape.dims()] *= 2;
    ScalingRow& row = rows.emplace_back(ScalingRow{.shape = problem.shape});
    row.predicted = predict(cluster, problem, options, static_cast<int>(ranks), ranks_per_node);
    const Prediction& base = rows.front().predicted;
    row.efficiency = base.seconds / row.predicted.seconds *
                     (strong ? static_cast<double>(base.ranks) / static_cast<double>(ranks) : 1);
  }
  return rows;
}

std::vector<std::string> crossovers(const std::vector<ScalingRow>& rows) {
  std::vector<std::string> said;
  const auto changes = [&](const char* what, auto word) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::string before = word(rows[i - 1].predicted), now = word(rows[i].predicted);
      if (before != now)
        said.push_back(fmt::format("{} {} from {} ranks on, {} up to {}", what, now, rows[i].predicted.ranks, before,
                                   rows[i - 1].predicted.ranks));
    }
  };
  changes("fastest as", [](const Prediction& p) { return p.decomposition; });
  changes("limited by", [](const Prediction& p) { return p.terms.front().name; });
  const auto best = std::ranges::min_element(rows, {}, [](const ScalingRow& r) { return r.predicted.seconds; });
  if (best + 1 != rows.end() && rows.front().shape == rows.back().shape)
    said.push_back(fmt::format("no faster beyond {} ranks", best->predicted.ranks));
  return said;
}

std::string table_text(const std::vector<ScalingRow>& rows, bool strong) {
  std::vector<std::string> heads{"ranks", "nodes", "time", "likely", "limited by", "cut", "efficiency"};
  if (!strong) heads.insert(heads.begin() + 2, "shape");
  Table table(heads);
  for (const ScalingRow& row : rows) {
    const Prediction& p = row.predicted;
    std::vector<std::string> cells{fmt::format("{}", p.ranks),
                                   fmt::format("{}", p.nodes),
                                   time_text(p),
                                   band_text(p),
                                   p.terms.front().name,
                                   p.decomposition,
                                   fmt::format("{:.0f} %", 100 * row.efficiency)};
    if (!strong) cells.insert(cells.begin() + 2, to_string(row.shape));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace shardfft::cli
