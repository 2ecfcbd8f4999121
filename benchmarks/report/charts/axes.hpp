// What several plots share: axes and the legend.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "svg.hpp"

namespace shardfft::report {

/// Width of every drawing, so that its text is as large as the page's on a phone and in a column.
inline constexpr double chart_width = 350;

using Labels = std::function<std::string(double)>;

/// Ticks of `x` as lines from `top` to `bottom`, their labels below, `title` under them. Returns where the next thing
/// may begin.
double draw_bottom_axis(Svg& svg, const Scale& x, const std::vector<double>& values, const Labels& label, double top,
                        double bottom, const std::string& title);
/// Ticks of `y` as lines from `left` to `right`, their labels to the left, `title` above the topmost.
void draw_left_axis(Svg& svg, const Scale& y, const Labels& label, double left, double right, const std::string& title);

/// Marks and names of series, two in a row. Returns where the next thing may begin.
double draw_legend(Svg& svg, const std::vector<std::pair<Mark, std::string>>& series, double top);

/// Labels in the unit that suits `largest` seconds.
[[nodiscard]] Labels time_labels(double largest);

}  // namespace shardfft::report
