// What was run where, and what came of it in a few numbers.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "html.hpp"
#include "page.hpp"
#include "text.hpp"

namespace shardfft::report {
namespace {

std::string facts_html(const char* title, const std::vector<Fact>& facts) {
  std::string html = fmt::format("<div class=\"facts\"><h4>{}</h4><dl>", title);
  for (const Fact& f : facts)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escaped(f.name),
                        escaped(f.value.empty() ? "unknown" : f.value));
  return html + "</dl></div>";
}

/// "2026-11-20T14:03:11Z" without what hinders reading.
std::string time_text(std::string iso) {
  if (iso.size() < 17 || iso[10] != 'T' || !iso.ends_with('Z')) return iso;
  return fmt::format("{} {} UTC", iso.substr(0, 10), iso.substr(11, 5));
}

std::string file_html(const Results& file) {
  std::string html = fmt::format("<section class=\"card\"><h3>{}</h3>\n<p class=\"muted\">", escaped(file.name));
  html += fmt::format("{} by shardfft {}</p>\n",
                      escaped(file.created.empty() ? "at an unknown time" : time_text(file.created)),
                      escaped(file.version));
  if (!file.command.empty()) html += fmt::format("<pre tabindex=\"0\">{}</pre>\n", escaped(file.command));
  return html + "<div class=\"columns\">" + facts_html("Machine", file.machine) +
         facts_html("Settings", file.settings) + "</div></section>\n";
}

/// How often each library ended how.
struct Tally {
  std::set<std::string> versions{};
  std::map<std::string, int> statuses{};
};

std::string libraries_html(const Merged& merged) {
  std::map<std::string, Tally> tallies;
  for (const Case& c : merged.cases)
    for (const Entry& e : c.entries) {
      if (!e.version.empty()) tallies[e.library].versions.insert(e.version);
      ++tallies[e.library].statuses[e.status];
    }
  HtmlTable table("Libraries and how their runs ended",
                  {"library", "version", "#ok", "#wrong", "#failed", "#timeout", "#unsupported", "#not run"});
  for (const std::string& library : merged.libraries) {
    Tally& tally = tallies[library];
    table.begin_row(is_ours(library) ? "ours" : "");
    table.head_cell(escaped(library));
    table.cell(tally.versions.empty() ? "unknown" : escaped(fmt::format("{}", fmt::join(tally.versions, ", "))));
    for (const char* status : {"ok", "wrong", "failed", "timeout", "unsupported", "not run"})
      table.number(fmt::format("{}", tally.statuses[status]), tally.statuses[status],
                   tally.statuses[status] > 0 ? "" : "none");
  }
  return table.finish();
}

std::string tile(const std::string& figure, const std::string& says) {
  return fmt::format("<div class=\"tile\"><strong>{}</strong><span>{}</span></div>\n", figure, says);
}

std::string without(int calls) { return calls == 0 ? "none is missing" : fmt::format("{} missing", calls); }

/// shardfft is one, whatever options it was run with.
std::size_t libraries_of(const Merged& merged) {
  const auto ours = static_cast<std::size_t>(std::ranges::count_if(merged.libraries, is_ours));
  return merged.libraries.size() - ours + (ours > 0 ? 1 : 0);
}

/// How shardfft stands against the best peer of each case.
struct Standing {
  int faster = 0, equal = 0, slower = 0;
  double ratio_logs = 0, share_logs = 0;
  int shares = 0, on_devices = 0;
  void add(const Comparison& one) {
    if (one.ours->share()) share_logs += std::log(*one.ours->share()), ++shares;
    if (!one.peer || !one.peer->ratio) return;
    const Interval& r = *one.peer->ratio;
    ratio_logs += std::log(r.median);
    if (one.ours->on_device()) ++on_devices;
    ++(outcome(r) == Outcome::faster ? faster : outcome(r) == Outcome::slower ? slower : equal);
  }
  [[nodiscard]] int compared() const { return faster + equal + slower; }
};

std::string fact(const std::vector<Fact>& facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? "" : found->value;
}

int calls_without_result(const Merged& merged) {
  int calls = 0;
  for (const Case& c : merged.cases)
    calls += static_cast<int>(std::ranges::count_if(c.entries, [](const Entry& e) { return !e.ok(); }));
  return calls;
}

}  // namespace

std::string origin_text(const Results& file) {
  std::string text;
  for (const std::string& part : {fact(file.machine, "processor"), fact(file.machine, "host"), time_text(file.created)})
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  return text;
}

std::string origin_html(const Merged& merged) {
  std::string html;
  for (const Results& file : merged.files) html += file_html(file);
  return html + libraries_html(merged);
}

std::string summary_html(const std::vector<Comparison>& all, const Merged& merged) {
  Standing s;
  for (const Comparison& one : all) s.add(one);
  std::string html = "<div class=\"tiles\">";
  html += tile(fmt::format("{}", merged.cases.size()),
               fmt::format("cases, {} libraries; every result was verified, {}", libraries_of(merged),
                           without(calls_without_result(merged))));
  if (s.compared() > 0) {
    html += tile(
        fmt::format("{} of {}", s.faster, s.compared()),
        fmt::format(
            "{} in which shardfft is faster than every peer, same call against same call; {} not told apart, {} slower",
            s.on_devices > 0 ? "cases, on processors and on GPUs apart," : "cases", s.equal, s.slower));
    html += tile(ratio_text(std::exp(s.ratio_logs / s.compared())),
                 "time of the best peer over shardfft's, geometric mean");
  }
  if (s.shares > 0)
    html += tile(percent_text(std::exp(s.share_logs / s.shares)),
                 "of the machine's limit reached by shardfft, geometric mean");
  return html + "</div>\n";
}

}  // namespace shardfft::report
