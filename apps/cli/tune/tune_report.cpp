#include "tune/tune_report.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/words.hpp"
#include "output/table.hpp"
#include "shardfft/environment.hpp"

namespace shardfft::cli {
namespace {

constexpr std::size_t shown = 10;

const TuneRow* untuned_of(const TuneReport& report) {
  const auto found = std::ranges::find_if(report.rows, &TuneRow::untuned);
  return found == report.rows.end() || !found->dropped.empty() ? nullptr : &*found;
}

const TuneRow* tuned_of(const TuneReport& report) {
  return report.rows.empty() || !report.rows.front().dropped.empty() ? nullptr : &report.rows.front();
}

std::vector<std::string> settings(const Problem& problem, const TuneRow* row) {
  if (!row) return {"-", "-", "-", "-", "-"};
  const Coord& g = row->grid;
  return {g.dims() > 0 ? std::to_string(g[0]) : "1", g.dims() > 1 ? std::to_string(g[1]) : "1",
          std::to_string(row->tile), std::to_string(row->chunks),
          fmt::format("{:.2f}", nominal_gflops(problem, row->seconds))};
}

std::vector<std::vector<std::string>> cells(const std::vector<Tuned>& all) {
  std::vector<std::vector<std::string>> rows{
      {"N", "before: N1", "N2", "NB", "NDIV", "GFlops", "after: N1", "N2", "NB", "NDIV", "GFlops", "after/before"}};
  for (const Tuned& t : all) {
    const TuneRow *before = untuned_of(t.report), *after = tuned_of(t.report);
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(
        fmt::format("{} {} {}", to_string(t.problem.shape), to_string(t.problem.kind), to_string(t.problem.precision)));
    for (const TuneRow* r : {before, after}) std::ranges::copy(settings(t.problem, r), std::back_inserter(row));
    row.push_back(before && after ? fmt::format("{:.2f}", before->seconds / after->seconds) : "-");
  }
  return rows;
}

Json row_json(const Problem& problem, const TuneRow& row) {
  return {{"recipe", row.recipe},
          {"grid", std::vector<Index>(row.grid.begin(), row.grid.end())},
          {"tile", row.tile},
          {"chunks", row.chunks},
          {"seconds", row.seconds},
          {"model_s", row.model_seconds},
          {"gflops", row.dropped.empty() ? nominal_gflops(problem, row.seconds) : 0},
          {"rounds", row.rounds},
          {"untuned", row.untuned},
          {"dropped", row.dropped}};
}

/// "5 of 7: there is no room for ...": the reason that most candidates have; the first of those that as many have.
std::string why_all_were_dropped(const TuneReport& report) {
  const auto count = [&](const TuneRow& row) {
    return std::ranges::count(report.rows, row.dropped, &TuneRow::dropped);
  };
  const TuneRow& commonest = *std::ranges::max_element(report.rows, {}, count);
  constexpr std::string_view remedy = "leave out what was chosen for it (--engine, --transport), or give it more time";
  const bool has_remedy = commonest.dropped.find(';') != std::string::npos;
  return fmt::format("every candidate was dropped, {} of {} for this: {}{}{}", count(commonest), report.rows.size(),
                     commonest.dropped, has_remedy ? "" : "; ", has_remedy ? "" : remedy);
}

}  // namespace

std::string report_table(const std::vector<Tuned>& all, bool markdown) {
  const auto rows = cells(all);
  if (!markdown) {
    Table table(rows.front());
    for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
    return table.text();
  }
  std::string text, rule = "|---|";
  for (std::size_t c = 1; c < rows.front().size(); ++c) rule += "---:|";
  for (const auto& row : rows)
    text += fmt::format("| {} |\n{}", fmt::join(row, " | "), &row == &rows.front() ? rule + "\n" : "");
  return text;
}

std::string candidates_table(const TuneReport& report) {
  Table table({"recipe", "measured", "model", "rounds"});
  std::size_t lines = 0;
  for (const TuneRow& row : report.rows) {
    if (!row.dropped.empty() || lines++ >= shown) continue;
    table.add({row.recipe + (row.untuned ? " (untuned)" : ""), seconds_text(row.seconds),
               seconds_text(row.model_seconds), std::to_string(row.rounds)});
  }
  std::string text = table.text();
  for (const TuneRow& row : report.rows)
    if (!row.dropped.empty()) text += fmt::format("dropped: {}: {}\n", row.recipe, row.dropped);
  return text;
}

bool found(const TuneReport& report) { return tuned_of(report) != nullptr; }

std::string why_not_kept(const TuneReport& report) {
  if (!found(report))
    return report.rows.empty() ? "no candidate was measured; give it more time (--seconds)"
                               : why_all_were_dropped(report);
  if (!report.notice.empty() || !report.wisdom_file.empty()) return report.notice;
  return wisdom_is_off() ? "SHARDFFT_WISDOM=off"
                         : "there is no folder for it; set SHARDFFT_WISDOM to one that may be written, or HOME, or to "
                           "off where nothing shall be kept";
}

std::string conclusion(const TuneReport& report) {
  const std::string lost = why_not_kept(report);
  const TuneRow *before = untuned_of(report), *after = tuned_of(report);
  if (!after) return fmt::format("not kept: {}\n", lost);
  std::string why = "the default could not be measured";
  if (before == after)
    why = "this is the default: no other candidate was clearly faster";
  else if (before)
    why = fmt::format("{:.2f} times as fast as the default ({} instead of {})", before->seconds / after->seconds,
                      seconds_text(after->seconds), seconds_text(before->seconds));
  const std::string best = fmt::format("best: {}; {}\n", after->recipe, why);
  return best + (lost.empty() ? fmt::format("kept in {}\n", report.wisdom_file) : fmt::format("not kept: {}\n", lost));
}

bool is_lost(const TuneReport& report) { return !why_not_kept(report).empty() && !(found(report) && wisdom_is_off()); }

Json report_json(const Tuned& t) {
  Json rows = Json::array();
  for (const TuneRow& row : t.report.rows) rows.push_back(row_json(t.problem, row));
  const TuneRow *before = untuned_of(t.report), *after = tuned_of(t.report);
  return {
      {"shape", std::vector<Index>(t.problem.shape.begin(), t.problem.shape.end())},
      {"kind", to_string(t.problem.kind)},
      {"kinds", kind_words(t.problem)},
      {"precision", to_string(t.problem.precision)},
      {"untuned_s", before ? Json(before->seconds) : Json()},
      {"tuned_s", after ? Json(after->seconds) : Json()},
      {"candidates", t.report.candidates},
      {"rounds", t.report.rounds},
      {"laps", t.report.laps},
      {"finished", t.report.finished},
      {"listed", t.report.listed},
      {"key", t.report.key},
      {"wisdom_file", t.report.notice.empty() && !t.report.wisdom_file.empty() ? Json(t.report.wisdom_file) : Json()},
      {"not_kept", why_not_kept(t.report)},
      {"rows", rows}};
}

}  // namespace shardfft::cli
