#include "axes.hpp"

#include "report/page/text.hpp"

namespace shardfft::report {

double draw_bottom_axis(Svg& svg, const Scale& x, const std::vector<double>& values, const Labels& label, double top,
                        double bottom, const std::string& title) {
  for (const double v : values) svg.line(x(v), top, x(v), bottom, "grid");
  for (const double v : apart(values, x, [&](double value) { return text_width(label(value), font); }))
    svg.text(x(v), bottom + 15, Anchor::middle, "tick", label(v));
  svg.text((x.from + x.to) / 2, bottom + 32, Anchor::middle, "muted", title);
  return bottom + 40;
}

void draw_left_axis(Svg& svg, const Scale& y, const Labels& label, double left, double right,
                    const std::string& title) {
  const std::vector<double> values = ticks(y, 5);
  for (const double v : values) svg.line(left, y(v), right, y(v), "grid");
  for (const double v : apart(values, y, [](double) { return font; }))
    svg.text(left - 6, y(v) + 4, Anchor::end, "tick", label(v));
  svg.text(0, y.to - 14, Anchor::start, "muted", title);
}

double draw_legend(Svg& svg, const std::vector<std::pair<Mark, std::string>>& series, double top) {
  constexpr double row = 18, column = chart_width / 2;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double x = column * static_cast<double>(i % 2), y = top + row * static_cast<double>(i / 2) + row / 2;
    svg.mark(x + 8, y, series[i].first);
    svg.text(x + 19, y + 4, Anchor::start, "label", fitted(series[i].second, column - 24, font), series[i].second);
  }
  return top + row * static_cast<double>((series.size() + 1) / 2);
}

Labels time_labels(double largest) {
  const TimeUnit unit = time_unit(largest);
  return [unit](double seconds) { return short_number(seconds / unit.seconds); };
}

}  // namespace shardfft::report
