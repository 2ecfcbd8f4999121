// Draws what time is spent on: one bar per library, one part per phase.
#include <algorithm>

#include <fmt/format.h>

#include "axes.hpp"
#include "charts.hpp"
#include "report/page/text.hpp"

namespace shardfft::report {
namespace {

constexpr double bar = 22, row = 18, numbered = 16;

double total(const Entry& e) {
  double sum = 0;
  for (const Phase& p : e.phases) sum += p.seconds;
  return sum;
}

std::string spelled(const Phase& p, double sum) {
  return fmt::format("{} · {}", seconds_text(p.seconds), percent_text(sum > 0 ? p.seconds / sum : 0));
}

/// The bar, and under it what its numbers mean. Returns where the next one may begin.
double draw_entry(Svg& svg, const Entry& e, const std::string& label, const Scale& x, double y) {
  const double sum = total(e);
  svg.text(0, y + 12, Anchor::start, e.ours() ? "label strong" : "label", fitted(label, chart_width - 80, font), label);
  svg.text(chart_width, y + 12, Anchor::end, "value", seconds_text(sum));
  y += row;
  double at = 0;
  for (std::size_t i = 0; i < e.phases.size(); ++i) {
    const double from = x(at), to = x(at += e.phases[i].seconds);
    svg.rect(from, y, to - from, bar, fmt::format("part f{}", i % looks),
             fmt::format("{}: {}", e.phases[i].label, spelled(e.phases[i], sum)));
    if (to - from >= numbered) svg.text((from + to) / 2, y + 15, Anchor::middle, "on", fmt::format("{}", i + 1));
  }
  y += bar + 3;
  for (std::size_t i = 0; i < e.phases.size(); ++i, y += row) {
    const Phase& p = e.phases[i];
    svg.rect(0, y + 1, numbered, row - 3, fmt::format("part f{}", i % looks));
    svg.text(numbered / 2, y + 13, Anchor::middle, "on", fmt::format("{}", i + 1));
    svg.text(numbered + 7, y + 13, Anchor::start, "label", fitted(p.label, chart_width - 150, font), p.label);
    svg.text(chart_width, y + 13, Anchor::end, "value", spelled(p, sum));
  }
  return y + 8;
}

}  // namespace

std::string phase_chart(const Merged& merged, const Case& c) {
  double most = 0;
  for (const Entry& e : c.entries) most = std::max(most, total(e));
  if (most <= 0) return {};
  Svg svg(chart_width, "Break-down per phase",
          fmt::format("Seconds in each phase of libraries that tell, in {}.", case_text(c)));
  const Scale x{.lo = 0, .hi = most, .from = 0, .to = chart_width};
  double y = 0;
  for (const Entry& e : c.entries)
    if (total(e) > 0) y = draw_entry(svg, e, merged.label(c, e), x, y);
  return svg.finish(y);
}

}  // namespace shardfft::report
