#include "comparison_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compare/cases/variant.hpp"
#include "compare/statistics/statistics.hpp"
#include "compare/statistics/summary.hpp"
#include "output/table.hpp"

namespace shardfft::compare {
namespace {

using cli::seconds_text;

std::string sample_text(const Sample& s) {
  return fmt::format("{} [{}, {}]", seconds_text(s.median), seconds_text(s.interval.low),
                     seconds_text(s.interval.high));
}

std::string ratio_text(const std::optional<Sample>& ratio) {
  if (!ratio) return "n/a";
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio->median, ratio->interval.low, ratio->interval.high);
}

std::string bytes_text(const std::optional<double>& bytes) { return bytes ? cli::bytes_text(*bytes) : "n/a"; }

std::string energy_text(const Summary& s) {
  const auto joules = [](const std::optional<double>& energy) {
    return energy ? fmt::format("{:.2f} J", *energy) : "n/a";
  };
  return s.energy_gpus_j ? fmt::format("{}, GPUs {}", joules(s.energy_j), joules(s.energy_gpus_j)) : joules(s.energy_j);
}

std::string plan_text(const Summary& s) {
  const std::string usual = seconds_text(s.plan_s);
  return s.plan_first_s > 2 * s.plan_s ? fmt::format("{} (first {})", usual, seconds_text(s.plan_first_s)) : usual;
}

void add_row(cli::Table& table, const Entry& entry, const CaseResult& result, const Summary& s) {
  const double limit = result.limit.seconds();
  table.add({entry.library, entry.call, sample_text(s.forward), sample_text(s.backward), ratio_text(s.ratio),
             limit > 0 ? fmt::format("{:.2f}", s.forward.median / limit) : "n/a", plan_text(s),
             seconds_text(s.first_call_s), fmt::format("{:.1e}", std::max(s.error, s.error_backward)),
             bytes_text(s.memory_peak_bytes), bytes_text(s.bytes_sent_network), energy_text(s)});
}

std::string limit_text(const CaseResult& result) {
  const Limit& limit = result.limit;
  if (!result.no_limit.empty()) return fmt::format("limit not measured: {}\n", result.no_limit);
  return fmt::format("limit {}: two passes take {} at {:.1f} GB/s, arithmetic {} at {:.0f} Gflop/s\n",
                     seconds_text(limit.seconds()), seconds_text(limit.copy_s), limit.copy_bytes_per_s / 1e9,
                     seconds_text(limit.arithmetic_s), limit.arithmetic_flops_per_s / 1e9);
}

std::size_t launches_of(const CaseResult& result) {
  std::size_t most = 0;
  for (const Entry& entry : result.entries) most = std::max(most, entry.launches.size());
  return most;
}

std::string launches_text(std::size_t launches) {
  if (launches == 0) return "nothing was launched";
  const double coverage = median_interval(std::vector<double>(launches, 1.0)).coverage;
  const std::string interval = coverage < 0.95 ? "least, largest launch: too few for a 95 % interval"
                                               : fmt::format("{:.0f} % interval", 100 * coverage);
  return fmt::format("{} launch{} in turn, medians [{}]", launches, launches > 1 ? "es" : "", interval);
}

std::string head_text(const CaseResult& result) {
  const Case& c = result.work;
  return fmt::format("{} ({}){}: {}\n", c.text(), workers_text(c), c.study.empty() ? "" : ", " + c.study,
                     launches_text(launches_of(result)));
}

}  // namespace

std::string workers_text(const Case& c) {
  return fmt::format("{} rank{} x {} thread{}", c.ranks, c.ranks > 1 ? "s" : "", c.threads, c.threads > 1 ? "s" : "");
}

std::string table_of(const CaseResult& result) {
  cli::Table table({"library", "call", "forward", "backward", "ratio to shardfft", "x limit", "plan", "first call",
                    "error", "memory", "sent", "energy"});
  std::string reasons;
  for (const Entry& entry : result.entries) {
    if (const auto s = summary_of(entry, result))
      add_row(table, entry, result, *s);
    else if (entry.status != "ok")
      reasons += fmt::format("no time: {} {}: {}: {}\n", entry.library, entry.call, entry.status, entry.reason);
    if (entry.failed_before > 0)
      reasons += fmt::format("tried again: {} {}: launches that had failed: {}\n", entry.library, entry.call,
                             entry.failed_before);
  }
  return head_text(result) + limit_text(result) + table.text() + reasons;
}

std::string noise_text(const Results& results) {
  std::vector<double> ratios;
  for (const CaseResult& result : results.cases)
    for (const Entry& entry : result.entries) {
      const auto s = entry.library == shardfft_again ? summary_of(entry, result) : std::nullopt;
      if (!s || !s->ratio) continue;
      ratios.insert(ratios.end(), {s->ratio->median, s->ratio_backward->median});
    }
  if (ratios.empty()) return {};
  const Noise noise = noise_of(ratios);
  return fmt::format(
      "noise: shardfft's time / its own in {} directions: {:.2f} to {:.2f}, half of them within {:.1f} %\n",
      noise.ratios, noise.least, noise.most, 100 * noise.half_within);
}

}  // namespace shardfft::compare
