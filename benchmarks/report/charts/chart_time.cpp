// Time of each library in one case: bars, because zero matters.
#include <algorithm>

#include <fmt/format.h>

#include "axes.hpp"
#include "charts.hpp"
#include "report/page/text.hpp"

namespace shardfft::report {
namespace {

constexpr double names = 118, values = 60, row = 30, thick = 11, thin = 6, head = 18, small_font = 10;

std::vector<const Entry*> by_time(const Case& c) {
  std::vector<const Entry*> list;
  for (const Entry& e : c.entries) list.push_back(&e);
  std::ranges::stable_sort(list, {}, [](const Entry* e) { return e->forward ? e->forward->median : 1e300; });
  return list;
}

/// The limit is shown beside the bars where it does not make them tiny.
double largest_time(const Case& c) {
  double most = 0, limit = 0;
  for (const Entry& e : c.entries)
    if (e.ok())
      most = std::max({most, e.forward->high, e.backward->high}), limit = std::max(limit, e.limit_s.value_or(0));
  return limit < 2 * most ? std::max(most, limit) : most;
}

bool shows_limit(const Entry& e, const Scale& x) { return e.ok() && e.limit_s && *e.limit_s <= x.hi; }

std::string spelled(const char* direction, const Interval& i) {
  return fmt::format("{} {}, {} {} to {}", direction, seconds_text(i.median), interval_text(i), seconds_text(i.low),
                     seconds_text(i.high));
}

/// The library; below it, smaller, what tells its entries apart.
void draw_name(Svg& svg, const Entry& e, const std::string& file, double y) {
  const std::string call = e.call == "best" ? "" : fmt::format("{} call", e.call),
                    more = fmt::format("{}{}{}", call, call.empty() || file.empty() ? "" : " · ", file);
  svg.text(names - 8, y + thick + 1, Anchor::end, e.ours() ? "label strong" : "label",
           fitted(e.library, names - 10, font), e.library);
  if (!more.empty())
    svg.text(names - 8, y + thick + 13, Anchor::end, "small", fitted(more, names - 10, small_font), more);
}

void draw_bars(Svg& svg, const Entry& e, const Scale& x, double y) {
  const char* kind = e.ours() ? "ours" : "peer";
  svg.rect(x.from, y + 2, x(e.forward->median) - x.from, thick, kind, spelled("forward", *e.forward));
  svg.rect(x.from, y + 4 + thick, x(e.backward->median) - x.from, thin, fmt::format("{} second", kind),
           spelled("backward", *e.backward));
  svg.interval_across(x(e.forward->low), x(e.forward->high), y + 2 + thick / 2);
  svg.interval_across(x(e.backward->low), x(e.backward->high), y + 4 + thick + thin / 2);
  if (shows_limit(e, x)) svg.line(x(*e.limit_s), y - 3, x(*e.limit_s), y + row - 3, "limit");
  const double end = x(std::max({e.forward->high, e.backward->high, shows_limit(e, x) ? *e.limit_s : 0}));
  svg.text(end + 7, y + thick + 1, Anchor::start, e.ours() ? "value strong" : "value", seconds_text(e.forward->median));
}

}  // namespace

std::string time_chart(const Merged& merged, const Case& c) {
  const double most = largest_time(c);
  if (most <= 0) return {};
  Svg svg(chart_width, "Time of each library",
          fmt::format("Bars of forward (thick) and backward (thin) time in {}; less is better.", case_text(c)));
  const Scale x = linear_scale(most, names, chart_width - values);
  const auto list = by_time(c);
  const double bottom = head + row * static_cast<double>(list.size());
  const double height =
      draw_bottom_axis(svg, x, ticks(x, 4), time_labels(x.hi), head - 4, bottom,
                       fmt::format("{}: thick forward, thin backward; less is better", time_unit(x.hi).name));
  double y = head;
  for (const Entry* e : list) {
    draw_name(svg, *e, merged.file_label(c, *e), y);
    if (e->ok())
      draw_bars(svg, *e, x, y);
    else
      svg.text(names + 4, y + thick + 1, Anchor::start, "muted", fmt::format("✕ {}", e->status), e->reason);
    y += row;
  }
  if (const auto limit = std::ranges::find_if(list, [&](const Entry* e) { return shows_limit(*e, x); });
      limit != list.end())
    svg.text(std::max(x(*(*limit)->limit_s), names + 16), 10, Anchor::middle, "muted", "limit");
  return svg.finish(height);
}

}  // namespace shardfft::report
