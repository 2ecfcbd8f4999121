#include "gate.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/cases/variant.hpp"
#include "mann_whitney.hpp"
#include "output/table.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"
#include "statistics.hpp"
#include "summary.hpp"

namespace shardfft::compare {
namespace {

constexpr double chance = 0.01, worth_saying = 0.03;

/// Whether so many values can be told apart at all: the least p is that of two samples that do not overlap, one of all
/// ways to deal them out.
bool can_be_told_apart(std::size_t before, std::size_t now) {
  double ways = 1;
  for (std::size_t i = 1; i <= before && ways <= 1 / chance + 0.5; ++i)
    ways *= static_cast<double>(now + i) / static_cast<double>(i);
  return ways > 1 / chance + 0.5;  // whole numbers, but for rounding
}

/// The fewest new launches that can be told apart from so many of the baseline.
std::size_t launches_needed(std::size_t before) {
  std::size_t now = 1;
  while (!can_be_told_apart(before, now)) ++now;
  return now;
}

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
    const bool usable =
        !is_shardfft(entry.library) && entry.call == call && entry.status == "ok" && !entry.launches.empty();
    if (usable && other != nullptr && other->status == "ok" && !other->launches.empty()) return entry.library;
  }
  return {};
}

/// What is compared: one number per launch or turn, larger is slower.
struct Samples {
  std::vector<double> before{}, now{};
  std::string note{};
};

Samples samples(const CaseResult& before, const CaseResult& now, const Entry& old, const Entry& fresh, Times times,
                bool ratios) {
  if (!ratios) return {launch_medians(old, times), launch_medians(fresh, times), ""};
  const std::string& call = old.call;
  const std::string peer = common_peer(before, now, call);
  if (peer.empty()) return {{}, {}, "no library has times in both files"};
  return {turn_ratios(old, *before.find(peer, call), times), turn_ratios(fresh, *now.find(peer, call), times),
          old.library + " / " + peer};
}

void judge(GateRow& row, const Samples& s) {
  row.launches_before = s.before.size(), row.launches_now = s.now.size();
  row.before = median(s.before), row.now = median(s.now);
  row.change = row.now / row.before - 1;
  const bool slower = row.change > 0;
  row.p_value = (slower ? mann_whitney_greater(s.now, s.before) : mann_whitney_greater(s.before, s.now)).p_value;
  const bool sure = row.p_value < chance;
  row.verdict = sure && row.change > worth_saying ? "slower" : sure && row.change < -worth_saying ? "faster" : "same";
  if (!can_be_told_apart(s.before.size(), s.now.size())) row.verdict = "undecided";
}

GateRow row_of(const CaseResult& before, const Entry& old, const CaseResult* now, const Direction& direction,
               bool ratios) {
  GateRow row{.work = before.work.text(), .library = old.library, .call = old.call, .direction = direction.name};
  const Entry* fresh = now == nullptr ? nullptr : now->find(old.library, old.call);
  if (fresh == nullptr || (fresh->status == "ok" && fresh->launches.empty())) {
    row.verdict = "missing", row.note = "not in the new results";
  } else if (fresh->status != "ok") {
    row.verdict = "no time", row.note = fresh->status + ": " + fresh->reason;
  } else {
    const Samples s = samples(before, *now, old, *fresh, direction.times, ratios);
    row.note = s.note;
    s.before.empty() || s.now.empty() ? void(row.verdict = "undecided") : judge(row, s);
  }
  return row;
}

std::string fact(const Results& results, const char* name) { return results.machine.value(name, Json()).dump(); }

/// Empty when times on the two machines can be compared.
std::string difference_of_machines(const Results& a, const Results& b) {
  for (const char* name : {"processor", "cores"})
    if (fact(a, name) != fact(b, name))
      return fmt::format("the machine differs: {} was {}, is {}", name, fact(a, name), fact(b, name));
  return {};
}

/// A line for each pair of numbers of launches that leaves rows undecided, with what would decide them.
std::vector<std::string> too_few(const GateReport& report) {
  std::map<std::pair<std::size_t, std::size_t>, int> undecided;
  for (const GateRow& row : report.rows)
    if (row.has_values() && row.verdict == "undecided") ++undecided[{row.launches_before, row.launches_now}];
  std::vector<std::string> lines;
  for (const auto& [launches, rows] : undecided)
    lines.push_back(fmt::format(
        "{} of {} undecided: {} and {} launches can never be told apart with p < {}; measure {} or more now, or 5 or "
        "more in both files",
        rows, report.rows.size(), launches.first, launches.second, chance, launches_needed(launches.first)));
  return lines;
}

template <class Value>
void require_equal(const char* what, const Value& before, const Value& now) {
  if (before == now) return;
  throw Error(
      Status::mismatch,
      fmt::format("--gate needs the {} of the baseline, {}; got {}; measure with the same, or make another baseline",
                  what, before, now));
}

Calls calls_of(const Results& results) {
  Calls calls;
  for (const CaseResult& result : results.cases)
    for (const Entry& entry : result.entries)
      if (is_shardfft(entry.library)) calls.insert(entry.call);
  return calls;
}

std::string value_text(const GateRow& row, double value, bool ratios) {
  if (!row.has_values()) return "";
  return ratios ? fmt::format("{:.3f}", value) : cli::seconds_text(value);
}

}  // namespace

GateBy parse_gate_by(const std::string& text) {
  if (text == "auto") return GateBy::automatic;
  if (text == "times") return GateBy::times;
  if (text == "ratios") return GateBy::ratios;
  throw Error(Status::invalid_argument,
              fmt::format("--gate-by must be auto, times or ratios; got '{}'{}; choose one of these", text,
                          did_you_mean(text, {"auto", "times", "ratios"})));
}

void require_comparable(const Results& baseline, const Settings& now, const Calls& calls) {
  const Settings& before = baseline.settings;
  require_equal("--iterations", before.iterations, now.iterations);
  require_equal("--warmup", before.warmup, now.warmup);
  require_equal("--plan-seconds", before.plan_seconds, now.plan_seconds);
  require_equal("--seed", before.seed, now.seed);
  const Calls known = calls_of(baseline);
  if (!known.empty() && !calls.empty() &&
      std::ranges::none_of(calls, [&](const std::string& call) { return known.contains(call); }))
    require_equal("--call", fmt::format("{}", fmt::join(known, ",")), fmt::format("{}", fmt::join(calls, ",")));
}

GateReport gate(const Results& baseline, const Results& now, GateBy by, bool missing_ok) {
  require_comparable(baseline, now.settings, calls_of(now));
  GateReport report{.missing_ok = missing_ok};
  const std::string differs = difference_of_machines(baseline, now);
  const bool ratios = by == GateBy::ratios || (by == GateBy::automatic && !differs.empty());
  if (!differs.empty())
    report.notes.push_back(
        fmt::format("{}; {} are compared", differs, ratios ? "ratios to a peer" : "times, as --gate-by says,"));
  for (const CaseResult& before : baseline.cases)
    for (const Entry& entry : before.entries) {
      if (!is_shardfft(entry.library) || entry.status != "ok" || entry.launches.empty()) continue;
      for (const Direction& direction : directions)
        report.rows.push_back(row_of(before, entry, now.find(before.work), direction, ratios));
    }
  const bool nothing = std::ranges::all_of(
      report.rows, [](const GateRow& row) { return !row.has_values() && row.verdict != "no time"; });
  if (nothing)
    throw Error(
        Status::invalid_argument,
        fmt::format("--gate needs cases in which shardfft has times in both files{}; there are none among the {} of "
                    "the baseline; "
                    "measure the baseline's cases",
                    ratios ? ", and so has a peer (" + (differs.empty() ? "--gate-by ratios" : differs) + ")" : "",
                    baseline.cases.size()));
  std::ranges::move(too_few(report), std::back_inserter(report.notes));
  return report;
}

bool GateReport::fails(const GateRow& row) const {
  if (row.verdict == "missing") return !missing_ok;
  return row.verdict == "slower" || row.verdict == "no time" || row.verdict == "undecided";
}

bool GateReport::passed() const {
  return std::ranges::none_of(rows, [&](const GateRow& row) { return fails(row); });
}

std::string GateReport::text() const {
  cli::Table table({"case", "library", "call", "direction", "baseline", "now", "change", "p", "verdict", "note"});
  for (const GateRow& row : rows) {
    const bool ratios = row.note.starts_with(row.library + " / "), known = row.has_values();
    table.add({row.work, row.library, row.call, row.direction, value_text(row, row.before, ratios),
               value_text(row, row.now, ratios), known ? fmt::format("{:+.1f} %", 100 * row.change) : "",
               known ? (row.p_value < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", row.p_value)) : "",
               fails(row) ? fmt::format("{}!", row.verdict) : row.verdict, row.note});
  }
  std::string text;
  for (const std::string& note : notes) text += "note: " + note + '\n';
  const auto count = [&](const char* verdict) { return std::ranges::count(rows, verdict, &GateRow::verdict); };
  return text + table.text() +
         fmt::format("gate: {} of {} slower or without a time, {} undecided, {} missing{}: {}\n",
                     count("slower") + count("no time"), rows.size(), count("undecided"), count("missing"),
                     count("missing") > 0 && missing_ok ? " (--gate-missing-ok)" : "", passed() ? "passed" : "FAILED");
}

}  // namespace shardfft::compare
