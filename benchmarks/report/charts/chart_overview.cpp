// All cases in one drawing: how far ahead, how near to the limit.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "axes.hpp"
#include "charts.hpp"
#include "report/page/text.hpp"

namespace shardfft::report {
namespace {

constexpr double row = 40, mid = 23, side = 10;

std::string short_text(const Merged& merged, const Comparison& one) {
  const Case& c = *one.question;
  std::string text = fmt::format("{}, {}×{}", problem_text(c), c.ranks, c.threads);
  if (!c.grid.empty()) text += fmt::format(" as {}", c.grid);
  if (!c.study.empty()) text += fmt::format(" ({})", c.study);
  if (one.ours->library != "shardfft") text += fmt::format(" · {}", one.ours->library);
  if (one.ours->call != "best") text += fmt::format(" · {} call", one.ours->call);
  if (merged.files.size() > 1) text += fmt::format(" · {}", merged.files[one.ours->file].name);
  return text;
}

void draw_name(Svg& svg, const std::string& text, double y) {
  svg.text(0, y + 12, Anchor::start, "label halo", fitted(text, chart_width, font), text);
}

std::string spelled(const Interval& r) {
  const char* says = outcome(r) == Outcome::equal ? "not told apart" : outcome_class(outcome(r));
  return fmt::format("{} ({} to {}, {}), {}", ratio_text(r.median), ratio_text(r.low), ratio_text(r.high),
                     interval_text(r), says);
}

std::string share_value(const Entry& e) { return percent_text(*e.share()); }

}  // namespace

std::string ratio_chart(const std::vector<Comparison>& all, const Merged& merged) {
  constexpr double values = 140;
  std::vector<Comparison> rows;
  double lo = 1, hi = 1;
  for (const Comparison& one : all) {
    if (!one.peer || !one.peer->ratio) continue;
    rows.push_back(one);
    lo = std::min(lo, one.peer->ratio->low), hi = std::max(hi, one.peer->ratio->high);
  }
  if (rows.empty()) return {};
  Svg svg(chart_width, "Ratio to the best peer",
          "Time of the fastest other library divided by the time of shardfft with the same call, for each case; more "
          "than 1: shardfft is faster.");
  const Scale x = log_scale(lo, std::max(hi, 1.5), side, chart_width - values);
  const double bottom = row * static_cast<double>(rows.size()) + 4;
  const double height = draw_bottom_axis(
      svg, x, ticks(x, 5), [](double v) { return short_number(v) + "×"; }, 0, bottom,
      "time of best peer / time of shardfft");
  svg.line(x(1), 0, x(1), bottom, "one");
  double y = 2;
  for (const Comparison& one : rows) {
    const Interval& r = *one.peer->ratio;
    const char* kind = outcome_class(outcome(r));
    draw_name(svg, short_text(merged, one), y);
    svg.path(fmt::format("M{:.1f} {:.1f}H{:.1f}", x(1), y + mid, x(r.median)), fmt::format("stem {}", kind));
    svg.interval_across(x(r.low), x(r.high), y + mid);
    svg.rect(x(r.median) - 4.5, y + mid - 4.5, 9, 9, fmt::format("dot {}", kind), spelled(r));
    const std::string who = merged.label(*one.question, *one.peer);
    svg.text(chart_width - values + 8, y + mid + 4, Anchor::start, "value strong", ratio_text(r.median));
    svg.text(chart_width, y + mid + 4, Anchor::end, "muted", fitted(who, values - 50, font), who);
    y += row;
  }
  return svg.finish(height);
}

std::string share_chart(const std::vector<Comparison>& all, const Merged& merged) {
  constexpr double bar = 12;
  std::vector<Comparison> rows;
  double most = 1, values = 0;
  for (const Comparison& one : all) {
    if (!one.ours->share()) continue;
    values = std::max(values, text_width(share_value(*one.ours), font) + 16);
    rows.push_back(one);
    most = std::max({most, *one.ours->share(), one.peer && one.peer->share() ? *one.peer->share() : 0});
  }
  if (rows.empty()) return {};
  Svg svg(chart_width, "Share of the limit",
          "Least time that copy bandwidth and arithmetic allow divided by the forward time, for each case: bars for "
          "shardfft, diamonds for the best peer.");
  const Scale x{.lo = 0, .hi = most * 1.02, .from = 0, .to = chart_width - values};
  const double bottom = row * static_cast<double>(rows.size()) + 4;
  const double height =
      draw_bottom_axis(svg, x, ticks(x, 4), percent_text, 0, bottom, "of the limit; bar shardfft, diamond best peer");
  svg.line(x(1), 0, x(1), bottom, "one");
  double y = 2;
  for (const Comparison& one : rows) {
    draw_name(svg, short_text(merged, one), y);
    svg.rect(0, y + mid - bar / 2, x(*one.ours->share()), bar, "ours",
             fmt::format("shardfft: {}", share_value(*one.ours)));
    if (one.peer && one.peer->share())
      svg.path(fmt::format("M{:.1f} {:.1f}l5.5 -5.5 5.5 5.5 -5.5 5.5z", x(*one.peer->share()) - 5.5, y + mid),
               "diamond");
    svg.text(chart_width, y + mid + 4, Anchor::end, "value strong", share_value(*one.ours));
    y += row;
  }
  return svg.finish(height);
}

}  // namespace shardfft::report
