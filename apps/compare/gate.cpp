#include "gate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mann_whitney.hpp"
#include "shardfft/error.hpp"
#include "statistics.hpp"
#include "summary.hpp"
#include "table.hpp"

namespace shardfft::compare {
namespace {

constexpr double chance = 0.01, worth_saying = 0.03;

using Times = std::vector<double> LaunchRecord::*;
struct Direction {
  const char* name;
  Times times;
};
constexpr Direction directions[] = {{"forward", &LaunchRecord::forward_s}, {"backward", &LaunchRecord::backward_s}};

std::vector<double> launch_medians(const Entry& entry, Times times) {
  std::vector<double> medians;
  if (entry.status != "ok") return medians;
  for (const LaunchRecord& launch : entry.launches) medians.push_back(median(launch.*times));
  return medians;
}

/// The peer that has times in both; empty when there is none.
std::string common_peer(const CaseResult& before, const CaseResult& now, const std::string& call) {
  for (const Entry& entry : before.entries) {
    const Entry* other = now.find(entry.library, entry.call);
    const bool usable = entry.library != "shardfft" && entry.call == call && entry.status == "ok" && !entry.launches.empty();
    if (usable && other != nullptr && other->status == "ok" && !other->launches.empty()) return entry.library;
  }
  return {};
}

/// What is compared: one number per launch or turn, larger is slower.
struct Samples {
  std::vector<double> before{}, now{};
  std::string note{};
};

Samples samples(const CaseResult& before, const CaseResult& now, const std::string& call, Times times, bool ratios) {
  const Entry &old = *before.find("shardfft", call), &fresh = *now.find("shardfft", call);
  if (!ratios) return {launch_medians(old, times), launch_medians(fresh, times), ""};
  const std::string peer = common_peer(before, now, call);
  if (peer.empty()) return {{}, {}, "no library has times in both files"};
  return {turn_ratios(old, *before.find(peer, call), times), turn_ratios(fresh, *now.find(peer, call), times), "shardfft / " + peer};
}

void judge(GateRow& row, const Samples& s) {
  row.before = median(s.before), row.now = median(s.now);
  row.change = row.now / row.before - 1;
  const bool slower = row.change > 0;
  row.p_value = (slower ? mann_whitney_greater(s.now, s.before) : mann_whitney_greater(s.before, s.now)).p_value;
  const bool sure = row.p_value < chance;
  row.verdict = sure && row.change > worth_saying ? "slower" : sure && row.change < -worth_saying ? "faster" : "same";
}

GateRow row_of(const CaseResult& before, const CaseResult* now, const std::string& call, const Direction& direction, bool ratios) {
  GateRow row{.work = before.work.text(), .call = call, .direction = direction.name};
  const Entry* fresh = now == nullptr ? nullptr : now->find("shardfft", call);
  if (fresh == nullptr || (fresh->status == "ok" && fresh->launches.empty())) {
    row.verdict = "missing", row.note = "not in the new results";
  } else if (fresh->status != "ok") {
    row.verdict = "no time", row.note = fresh->status + ": " + fresh->reason;
  } else {
    const Samples s = samples(before, *now, call, direction.times, ratios);
    row.note = s.note;
    s.before.empty() || s.now.empty() ? void(row.verdict = "missing") : judge(row, s);
  }
  return row;
}

std::string fact(const Results& results, const char* name) { return results.machine.value(name, Json()).dump(); }

/// Empty when times on the two machines can be compared.
std::string difference_of_machines(const Results& a, const Results& b) {
  for (const char* name : {"processor", "cores"})
    if (fact(a, name) != fact(b, name)) return fmt::format("the machine differs: {} was {}, is {}", name, fact(a, name), fact(b, name));
  return {};
}

std::string too_few(const GateReport& report, const Results& baseline, const Results& now) {
  const auto a = static_cast<std::size_t>(baseline.settings.launches), b = static_cast<std::size_t>(now.settings.launches);
  const std::vector<double> low(a, 0.0), high(b, 1.0);
  const double least = mann_whitney_greater(high, low).p_value;
  if (report.rows.empty() || least < chance) return {};
  return fmt::format("{} and {} launches can never be told apart with p < {}: measure at least 5 and 5", a, b, chance);
}

std::string value_text(const GateRow& row, double value, bool ratios) {
  if (row.verdict == "missing" || row.verdict == "no time") return "";
  return ratios ? fmt::format("{:.3f}", value) : cli::seconds_text(value);
}

}  // namespace

GateBy parse_gate_by(const std::string& text) {
  if (text == "auto") return GateBy::automatic;
  if (text == "times") return GateBy::times;
  if (text == "ratios") return GateBy::ratios;
  throw Error(Status::invalid_argument, fmt::format("--gate-by must be auto, times or ratios; got '{}'; choose one of these", text));
}

GateReport gate(const Results& baseline, const Results& now, GateBy by) {
  GateReport report;
  const std::string differs = difference_of_machines(baseline, now);
  const bool ratios = by == GateBy::ratios || (by == GateBy::automatic && !differs.empty());
  if (!differs.empty())
    report.notes.push_back(fmt::format("{}; {} are compared", differs, ratios ? "ratios to a peer" : "times, as --gate-by says,"));
  for (const CaseResult& before : baseline.cases)
    for (const Entry& entry : before.entries) {
      if (entry.library != "shardfft" || entry.status != "ok" || entry.launches.empty()) continue;
      for (const Direction& direction : directions)
        report.rows.push_back(row_of(before, now.find(before.work), entry.call, direction, ratios));
    }
  const bool nothing = std::ranges::all_of(report.rows, [](const GateRow& row) { return row.verdict == "missing"; });
  if (nothing)
    throw Error(
        Status::invalid_argument,
        fmt::format("--gate needs cases in which shardfft has times in both files{}; there are none among the {} of the baseline; "
                    "measure the baseline's cases",
                    ratios ? ", and so has a peer (" + (differs.empty() ? "--gate-by ratios" : differs) + ")" : "", baseline.cases.size()));
  if (const std::string few = too_few(report, baseline, now); !few.empty()) report.notes.push_back(few);
  return report;
}

bool GateReport::passed() const { return std::ranges::none_of(rows, &GateRow::fails); }

std::string GateReport::text() const {
  cli::Table table({"case", "call", "direction", "baseline", "now", "change", "p", "verdict", "note"});
  for (const GateRow& row : rows) {
    const bool ratios = row.note.starts_with("shardfft / "), known = row.verdict != "missing" && row.verdict != "no time";
    table.add({row.work, row.call, row.direction, value_text(row, row.before, ratios), value_text(row, row.now, ratios),
               known ? fmt::format("{:+.1f} %", 100 * row.change) : "", known ? (row.p_value < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", row.p_value)) : "",
               row.fails() ? fmt::format("{}!", row.verdict) : row.verdict, row.note});
  }
  std::string text;
  for (const std::string& note : notes) text += "note: " + note + '\n';
  const auto failed = std::ranges::count_if(rows, &GateRow::fails), missing = std::ranges::count(rows, "missing", &GateRow::verdict);
  return text + table.text() +
         fmt::format("gate: {} of {} slower or without a time, {} missing: {}\n", failed, rows.size(), missing,
                     passed() ? "passed" : "FAILED");
}

}  // namespace shardfft::compare
