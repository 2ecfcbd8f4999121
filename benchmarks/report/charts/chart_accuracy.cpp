// Error against time: a library that is fast because it is less exact is seen here.
#include <algorithm>

#include <fmt/format.h>

#include "axes.hpp"
#include "charts.hpp"
#include "report/page/text.hpp"

namespace shardfft::report {
namespace {

constexpr double left = 56, top = 28, bottom = 240;

struct Range {
  double lo = 1e300, hi = 0;
  void add(double v) { lo = std::min(lo, v), hi = std::max(hi, v); }
};

bool has_both(const Entry& e) { return e.ok() && e.error && *e.error > 0; }

}  // namespace

std::string accuracy_chart(const Merged& merged, const Case& c) {
  Range time, error;
  double bound = 1e300;
  for (const Entry& e : c.entries) {
    if (!has_both(e)) continue;
    time.add(e.forward->low), time.add(e.forward->high), error.add(*e.error);
    if (e.bound && *e.bound > 0) bound = std::min(bound, *e.bound);
  }
  if (time.hi <= 0) return {};
  if (bound < 1e300) error.add(bound);
  Svg svg(chart_width, "Accuracy against time",
          fmt::format("Relative L2 error over forward time in {}; lower left is better.", case_text(c)));
  const Scale x = log_scale(time.lo, time.hi, left, chart_width - 10),
              y = log_scale(error.lo / 1.4, error.hi * 1.4, bottom, top);
  draw_left_axis(svg, y, short_number, left, chart_width - 10, "relative L2 error, forward");
  double end = draw_bottom_axis(svg, x, ticks(x, 4), time_labels(time.hi), top, bottom,
                                fmt::format("forward time, {}; lower left is better", time_unit(time.hi).name));
  if (bound < 1e300) {
    svg.line(left, y(bound), chart_width - 10, y(bound), "limit");
    svg.text(chart_width - 12, y(bound) - 5, Anchor::end, "muted", "bound");
  }
  std::vector<std::pair<Mark, std::string>> series;
  for (const Entry& e : c.entries) {
    if (!has_both(e)) continue;
    series.emplace_back(merged.mark(e), merged.label(c, e));
    svg.interval_across(x(e.forward->low), x(e.forward->high), y(*e.error));
    svg.mark(x(e.forward->median), y(*e.error), series.back().first,
             fmt::format("{}: {}, error {:.2e}", series.back().second, seconds_text(e.forward->median), *e.error));
  }
  return svg.finish(draw_legend(svg, series, end + 4));
}

}  // namespace shardfft::report
