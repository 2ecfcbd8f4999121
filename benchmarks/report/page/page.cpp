#include "page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/charts/charts.hpp"
#include "text.hpp"

namespace shardfft::report {
namespace {

std::string figure(const std::string& title, const std::string& drawing) {
  return drawing.empty()
             ? ""
             : fmt::format("<figure class=\"card\"><figcaption>{}</figcaption>{}</figure>\n", escaped(title), drawing);
}

std::string figures(const std::string& inside) {
  return inside.empty() ? "" : fmt::format("<div class=\"figures\">\n{}</div>\n", inside);
}

std::string section(const char* id, const char* title, const std::string& inside) {
  return inside.empty() ? "" : fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", id, title, inside);
}

std::string case_by_case(const std::vector<Comparison>& all, const Merged& merged) {
  return figures(figure("Ratio to the best peer", ratio_chart(all, merged)) +
                 figure("Share of the limit", share_chart(all, merged)));
}

std::string growths(const Merged& merged) {
  std::string weak, strong;
  for (const Growth& g : strong_scaling(merged))
    strong += figure("Strong scaling: " + g.title, growth_chart(merged, g, false));
  for (const Growth& g : weak_scaling(merged))
    weak += figure("Weak scaling: " + g.title, growth_chart(merged, g, true));
  return figures(strong + weak);
}

std::string case_id(std::size_t i) { return fmt::format("case-{}", i + 1); }

std::string case_html(const Merged& merged, const Case& c, std::size_t number) {
  const std::string study = c.study.empty() ? "" : fmt::format("<span class=\"study\">{}</span>", escaped(c.study));
  return fmt::format(
      "<section class=\"case\" id=\"{}\"><h3>{} <span class=\"muted\">{}</span>{}</h3>\n{}{}</section>\n",
      case_id(number), escaped(problem_text(c)), escaped(ranks_text(c)), study, case_table_html(merged, c),
      figures(figure("Time of each library", time_chart(merged, c)) +
              figure("Break-down per phase", phase_chart(merged, c)) +
              figure("Accuracy against time", accuracy_chart(merged, c))));
}

std::string contents(const Merged& merged) {
  if (merged.cases.size() < 2) return {};
  std::string html = "<nav aria-label=\"Cases\"><ol>\n";
  for (std::size_t i = 0; i < merged.cases.size(); ++i)
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", case_id(i), escaped(case_text(merged.cases[i])));
  return html + "</ol></nav>\n";
}

std::string cases_html(const Merged& merged) {
  std::string html = contents(merged);
  for (std::size_t i = 0; i < merged.cases.size(); ++i) html += case_html(merged, merged.cases[i], i);
  return html;
}

constexpr const char* reading = R"(<ul>
<li>A time is that of one transform on the slowest rank. A launch is one sample: the median of its iterations. Tables
show the median of these samples, its 95&nbsp;% interval, and the minimum (min) of all iterations. Fewer than 6 launches
have no such interval: then the case says what its intervals are. Making the plan and the first call are counted
apart.</li>
<li>The ratio is the time of a library over the time of shardfft, of the same call where it has one, formed launch by
launch between neighbours in time; above 1, shardfft is faster. Where the interval holds 1, or where there were fewer
than 5 launches, the measurement does not tell the two apart.</li>
<li>The best peer is the fastest other library with the same call as shardfft's. shardfft with other options or on a
device is no peer; libraries on GPUs are set against shardfft on a device where it took part.</li>
<li>The limit is the longer of two times, both measured in the same run: two passes over the array at the machine's copy
bandwidth, and all arithmetic at its rate in cache. Data that stay in cache can beat it.</li>
<li>Every result was checked: the error is that of the forward transform, relative, in the L2 norm; the bound is what it
must not exceed. “Back” is what is left after going back and forth, two transforms with twice the bound. Times of wrong
results are discarded.</li>
<li>“best” is a library's best call (measured plans, workspace given, fastest of its options), “default” the call of its
documentation's first example.</li>
<li>“Sent in messages” is what ranks send each other in one forward transform
by messages of MPI, within a node as between nodes. Where shardfft stores into the memory that the ranks of a node
share instead, what it stores is not in this column.</li>
<li>Memory is the growth of all ranks together since before planning; energy is what the processor's counters say. n/a:
could not be measured.</li>
</ul>)";

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
)";

std::string opening(const Merged& merged) {
  const Results& first = merged.files.front();
  const std::string where =
      merged.files.size() == 1 ? origin_text(first) : fmt::format("{} results files", merged.files.size());
  return fmt::format(
      "<title>FFT comparison: shardfft report</title>\n<style>{}</style></head>\n<body><header><p "
      "class=\"brand\">shardfft</p><h1>Comparison of "
      "distributed FFTs</h1><p class=\"muted\">{}</p></header>\n<main>\n",
      style_sheet, escaped(where));
}

}  // namespace

std::string page(const Merged& merged) {
  const std::vector<Comparison> all = comparisons(merged);
  std::string html = head + opening(merged);
  const std::string map = map_html(all, merged), charts = case_by_case(all, merged);
  html += fmt::format("<div class=\"{}\">{}{}</div>\n", map.empty() ? "top" : "over", summary_html(all, merged),
                      map.empty() ? charts : "");
  if (!map.empty())
    html += section("map", "Map", map + "<details><summary>Case by case</summary>" + charts + "</details>\n");
  html += section("scaling", "Scaling", growths(merged));
  html += section("cases", "Cases", cases_html(merged));
  html += section("origin", "What was run where", origin_html(merged));
  html += section("reading", "How to read this page", reading);
  return html + fmt::format("</main>\n<script>{}</script></body></html>\n", script);
}

}  // namespace shardfft::report
