#include "solve/flow_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/text.hpp"
#include "solve/refuse.hpp"

namespace shardfft::cli {
namespace {

constexpr const char* csv_head = "step,time,energy,enstrophy,dissipation,divergence\n";

std::string csv_line(const FlowMoment& m) {
  return fmt::format("{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", m.steps, m.time, m.sums.energy, m.sums.enstrophy,
                     m.dissipation, m.sums.divergence);
}

}  // namespace

FlowMoment moment_of(const solvers::NavierStokes& flow) {
  const solvers::FlowSums sums = flow.sums();
  return {flow.steps(), flow.time(), sums, 2 * flow.problem().viscosity * sums.enstrophy};
}

FlowShares shares_of(const Comm& comm, const solvers::FlowSeconds& seconds, Index steps) {
  const auto mean = [&](double mine) {
    return all_sum(comm, mine) / comm.size() / static_cast<double>(std::max<Index>(steps, 1));
  };
  const double copies = mean(seconds.copies),
               around = mean(seconds.transforms) - mean(seconds.sweeps) - mean(seconds.exchanges) - copies;
  FlowShares shares{{{"all-to-all (waiting)", mean(seconds.exchanges)},
                     {"unpack", 0.0},
                     {"pack", 0.0},
                     {"FFT", mean(seconds.sweeps)},
                     {"transpose", copies},
                     {"normalise", 0.0},
                     {"products", mean(seconds.points)},
                     {"Runge-Kutta, projection", mean(seconds.modes)}},
                    mean(seconds.total)};
  const double rest = shares.total - mean(seconds.transforms) - mean(seconds.points) - mean(seconds.modes);
  shares.parts.emplace_back("rest", rest + around);
  return shares;
}

std::string shares_table(const FlowShares& shares) {
  Table table({"part of a step, mean of the ranks", "time", "share"});
  const auto row = [&](const std::string& name, double seconds) {
    table.add(
        {name, seconds_text(seconds), fmt::format("{:.1f} %", shares.total > 0 ? 100 * seconds / shares.total : 0)});
  };
  for (const auto& [name, seconds] : shares.parts) row(name, seconds);
  row("step", shares.total);
  return table.text();
}

Json shares_json(const FlowShares& shares) {
  Json record;
  for (const auto& [name, seconds] : shares.parts) record[name] = seconds;
  record["step"] = shares.total;
  return record;
}

std::string moments_table(const std::vector<FlowMoment>& moments) {
  constexpr std::size_t rows = 12;
  Table table({"step", "time", "energy", "enstrophy", "dissipation", "divergence"});
  const std::size_t count = std::min(rows, moments.size());
  for (std::size_t i = 0; i < count; ++i) {
    const FlowMoment& m = moments[count == 1 ? 0 : i * (moments.size() - 1) / (count - 1)];
    table.add({fmt::format("{}", m.steps), fmt::format("{:.6g}", m.time), fmt::format("{:.12f}", m.sums.energy),
               fmt::format("{:.9f}", m.sums.enstrophy), fmt::format("{:.9f}", m.dissipation),
               fmt::format("{:.1e}", m.sums.divergence)});
  }
  return table.text();
}

std::string moments_csv(const std::vector<FlowMoment>& moments) {
  std::string text = csv_head;
  for (const FlowMoment& m : moments) text += csv_line(m);
  return text;
}

std::string continued_csv(const std::string& file, const std::string& record, const std::vector<FlowMoment>& moments) {
  const FlowMoment& first = moments.front();
  if (!record.starts_with(csv_head) || !record.ends_with('\n' + csv_line(first)))
    refuse(fmt::format("--csv with --restart must name a new file, or one that ends with step {}, where the checkpoint "
                       "is, to which later steps are added",
                       first.steps),
           fmt::format("'{}', which {}", printable(file),
                       record.starts_with(csv_head) ? "does not end with this line of this run"
                                                    : "does not begin as --csv writes it"),
           "name another place");
  std::string text = record;
  for (const FlowMoment& m : moments)
    if (m.steps > first.steps) text += csv_line(m);
  return text;
}

std::string spectrum_csv(const std::vector<double>& shells) {
  std::string text = "shell,energy\n";
  for (std::size_t s = 0; s < shells.size(); ++s) text += fmt::format("{},{:.17g}\n", s, shells[s]);
  return text;
}

}  // namespace shardfft::cli
