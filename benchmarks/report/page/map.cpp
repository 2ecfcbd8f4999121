// The map of many cases, and those in which shardfft is behind, with the plan that ran.
#include <algorithm>

#include <fmt/format.h>

#include "compare/cases/variant.hpp"
#include "compare/statistics/statistics.hpp"
#include "html.hpp"
#include "page.hpp"
#include "report/charts/charts.hpp"
#include "text.hpp"

namespace shardfft::report {
namespace {

constexpr double behind = 0.95, margins = 32;  // of .map, to the left and the right

/// One direction of a case.
struct Row {
  const Comparison* one;
  const Entry* peer;
  const char* direction;
  double ratio, theirs_s, ours_s;
};

std::vector<Row> rows_behind(const std::vector<Comparison>& all) {
  std::vector<Row> rows;
  const auto add = [&](const Comparison& one, const Entry* peer, const char* direction,
                       std::optional<Interval> Entry::* ratio, std::optional<Times> Entry::* times) {
    if (!peer || !(peer->*ratio) || (peer->*ratio)->median >= behind) return;
    rows.push_back({&one, peer, direction, (peer->*ratio)->median, (peer->*times)->median, (one.ours->*times)->median});
  };
  for (const Comparison& one : all) {
    add(one, one.peer, "forward", &Entry::ratio, &Entry::forward);
    add(one, one.peer_backward, "backward", &Entry::ratio_backward, &Entry::backward);
  }
  std::ranges::stable_sort(rows, {}, &Row::ratio);
  return rows;
}

std::string plan_html(const Entry& ours) {
  const std::string head = escaped(ours.configuration);
  if (ours.plan.empty()) return head;
  return fmt::format("<details><summary>{}</summary><pre class=\"plan\" tabindex=\"0\">{}</pre></details>", head,
                     escaped_lines(ours.plan));
}

std::string table_html(const std::vector<Row>& rows) {
  if (rows.empty()) return "<p>In no case is a peer more than 5 % faster.</p>\n";
  HtmlTable table("Where a peer is more than 5 % faster",
                  {"case", "direction", "#ratio", "best peer", "#its time", "#shardfft", "plan of shardfft"});
  for (const Row& row : rows) {
    table.begin_row();
    table.head_cell(escaped(case_text(*row.one->question)));
    table.cell(row.direction);
    table.number(ratio_text(row.ratio), row.ratio, "slower");
    table.cell(escaped(row.peer->library));
    table.number(seconds_text(row.theirs_s), row.theirs_s);
    table.number(seconds_text(row.ours_s), row.ours_s);
    table.cell(plan_html(*row.one->ours));
  }
  return table.finish();
}

/// How far shardfft was from itself, where it took part twice.
std::string noise_html(const Merged& merged) {
  std::vector<double> ratios;
  for (const Case& c : merged.cases)
    for (const Entry& e : c.entries)
      for (const auto& ratio : {e.ratio, e.ratio_backward})
        if (e.library == compare::shardfft_again && ratio) ratios.push_back(ratio->median);
  if (ratios.empty()) return {};
  const compare::Noise noise = compare::noise_of(ratios);
  return fmt::format(
      "<p class=\"muted\">Noise: shardfft's time over its own, measured as those of others, was {} to {} in {} "
      "directions, half of them within {:.1f} % of 1.</p>\n",
      ratio_text(noise.least), ratio_text(noise.most), noise.ratios, 100 * noise.half_within);
}

}  // namespace

std::string map_html(const std::vector<Comparison>& all, const Merged& merged) {
  const WideChart chart = map_chart(all, merged);
  if (chart.svg.empty()) return {};
  return fmt::format(
             "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Map of ratios\"><div class=\"map\" "
             "style=\"width:{:.0f}px\">{}</div></div>\n",
             chart.width + margins, chart.svg) +
         noise_html(merged) + table_html(rows_behind(all));
}

}  // namespace shardfft::report
