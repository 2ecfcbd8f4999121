// Strong and weak scaling: both axes logarithmic, the ideal dashed.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "axes.hpp"
#include "charts.hpp"
#include "report/page/text.hpp"

namespace shardfft::report {
namespace {

constexpr double left = 50, right = chart_width - 14, top = 28, bottom = 250;

struct Curve {
  Mark mark{};
  std::string label{};
  std::vector<std::pair<double, const Entry*>> points{};  // size, entry
};

/// One for each call of each library on each machine that was measured at two sizes at least, in the order of the
/// libraries.
std::vector<Curve> curves_of(const Merged& merged, const Growth& growth) {
  std::map<std::tuple<bool, std::string, std::string, std::size_t>, Curve> found;
  for (const Growth::Point& p : growth.points)
    for (const Entry& e : p.question->entries) {
      if (!e.ok()) continue;
      Curve& curve = found[{!e.ours(), e.library, e.call, e.file}];
      curve.mark = merged.mark(e);
      if (curve.label.empty()) curve.label = merged.label(*p.question, e);
      curve.points.emplace_back(static_cast<double>(p.size), &e);
    }
  std::vector<Curve> curves;
  for (auto& [key, curve] : found)
    if (curve.points.size() > 1) curves.push_back(std::move(curve));
  return curves;
}

void draw_curve(Svg& svg, const Curve& curve, const Scale& x, const Scale& y) {
  std::string path;
  for (const auto& [size, e] : curve.points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(size), y(e->forward->median));
  svg.path(path, fmt::format("curve s{}", curve.mark.colour));
  for (const auto& [size, e] : curve.points) {
    svg.interval_upright(x(size), y(e->forward->low), y(e->forward->high));
    svg.mark(x(size), y(e->forward->median), curve.mark,
             fmt::format("{}: {} on {:.0f}", curve.label, seconds_text(e->forward->median), size));
  }
}

/// From the first point of `curve` on.
void draw_ideal(Svg& svg, const Curve& curve, double largest, bool weak, const Scale& x, const Scale& y) {
  const auto& [size, e] = curve.points.front();
  const double t = e->forward->median, last = weak ? t : t * size / largest;
  // Clipped where it leaves the drawing: a straight line between two places of the logarithmic plane.
  const double reach = last < y.lo && !weak ? t * size / y.lo : largest;
  svg.line(x(size), y(t), x(reach), y(weak ? t : t * size / reach), "limit");
}

}  // namespace

std::string growth_chart(const Merged& merged, const Growth& growth, bool weak) {
  const std::vector<Curve> curves = curves_of(merged, growth);
  double lo = 1e300, hi = 0;
  for (const Curve& c : curves)
    for (const auto& [size, e] : c.points) lo = std::min(lo, e->forward->low), hi = std::max(hi, e->forward->high);
  if (curves.empty()) return {};
  Svg svg(chart_width, fmt::format("{} scaling: {}", weak ? "Weak" : "Strong", growth.title),
          fmt::format(
              "Forward time of each library on growing numbers of {}; dashed: the ideal, from the first point of {}.",
              growth.unit, curves.front().label));
  const auto first = static_cast<double>(growth.points.front().size),
             last = static_cast<double>(growth.points.back().size);
  const Scale x = log_scale(first, last, left, right), y = log_scale(lo / 1.2, hi * 1.2, bottom, top);
  std::vector<double> sizes;
  for (const Growth::Point& p : growth.points)
    if (sizes.empty() || sizes.back() < static_cast<double>(p.size)) sizes.push_back(static_cast<double>(p.size));
  draw_left_axis(svg, y, time_labels(hi), left, right, fmt::format("forward time, {}", time_unit(hi).name));
  const double end =
      draw_bottom_axis(svg, x, sizes, short_number, top, bottom, fmt::format("{}; dashed: ideal", growth.unit));
  draw_ideal(svg, curves.front(), last, weak, x, y);
  std::vector<std::pair<Mark, std::string>> series;
  for (const Curve& c : curves) {
    draw_curve(svg, c, x, y);
    series.emplace_back(c.mark, c.label);
  }
  return svg.finish(draw_legend(svg, series, end + 4));
}

}  // namespace shardfft::report
