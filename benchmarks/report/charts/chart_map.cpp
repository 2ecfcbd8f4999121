// A cell for each case, by its size, in a lane for each kind of problem, says whether shardfft is ahead or behind.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "axes.hpp"
#include "charts.hpp"
#include "report/page/text.hpp"

namespace shardfft::report {
namespace {

constexpr double names = 224, octave = 34, cell = 32, half = 13, row = 2 * half + 4, top = 20, small_font = 10;
constexpr std::size_t fewest = 24;

/// Up to which ratio a shade goes, from red to green.
struct Shade {
  double below;
  const char *classes, *label;
};
constexpr std::array shades{
    Shade{0.6, "red4", "≤ 0.6"},   Shade{0.71, "red3", "≤ 0.71"},      Shade{0.83, "red2", "≤ 0.83"},
    Shade{0.95, "red1", "< 0.95"}, Shade{1.05, "even", "0.95 – 1.05"}, Shade{1.2, "green1", "> 1.05"},
    Shade{1.4, "green2", "> 1.2"}, Shade{1.6, "green3", "> 1.4"},      Shade{1e300, "green4", "> 1.6"}};

const char* shade_of(double ratio) {
  return std::ranges::find_if(shades, [&](const Shade& s) { return ratio <= s.below; })->classes;
}

/// "3-D", "1-D batches", "1-D in 2-D arrays"
std::string form_of(const Case& c) {
  if (!c.axes.empty()) return fmt::format("{}-D in {}-D arrays", c.axes.size(), c.shape.size());
  return fmt::format("{}-D{}", c.shape.size(), c.batch > 1 ? " batches" : "");
}

std::string lane_of(const Comparison& one, const Merged& merged) {
  const Case& c = *one.question;
  std::string text = fmt::format("{} {} {}, {}×{}", form_of(c), c.kind, c.precision, c.ranks, c.threads);
  if (c.layout != "natural") text += " " + c.layout;
  if (one.ours->library != "shardfft") text += " " + one.ours->library;
  if (one.ours->call != "best") text += fmt::format(", {} call", one.ours->call);
  if (merged.files.size() > 1) text += " · " + merged.files[one.ours->file].name;
  return text;
}

/// Cells in as many rows as they need in order not to lie on each other.
struct Lane {
  std::string name{};
  std::vector<std::pair<const Comparison*, std::size_t>> cells{};  ///< with their rows
  std::vector<double> ends{};                                      ///< of the rows

  void add(const Comparison& one, double left) {
    const auto free = std::ranges::find_if(ends, [&](double end) { return end <= left; });
    cells.emplace_back(&one, static_cast<std::size_t>(free - ends.begin()));
    if (free == ends.end()) ends.push_back(0);
    ends[cells.back().second] = left + cell + 1;
  }
};

std::vector<Lane> lanes_of(const std::vector<const Comparison*>& sorted, const Merged& merged, const Scale& x) {
  std::vector<Lane> lanes;
  for (const Comparison* one : sorted) {
    const std::string name = lane_of(*one, merged);
    auto lane = std::ranges::find(lanes, name, &Lane::name);
    if (lane == lanes.end()) lane = lanes.insert(lane, Lane{.name = name});
    lane->add(*one, x(one->question->bytes()) - cell / 2);
  }
  std::ranges::sort(lanes, {}, &Lane::name);
  return lanes;
}

void draw_half(Svg& svg, const Comparison& one, bool forward, double x, double y) {
  const Entry* peer = forward ? one.peer : one.peer_backward;
  const auto& ratio = forward ? peer->ratio : peer->ratio_backward;
  if (!ratio) return;
  const auto& theirs = forward ? peer->forward : peer->backward;
  const auto& own = forward ? one.ours->forward : one.ours->backward;
  svg.rect(
      x, y, cell, half, fmt::format("cell {}", shade_of(ratio->median)),
      fmt::format("{}, {}: {} ({} to {}), {} {}, shardfft {}", case_text(*one.question),
                  forward ? "forward" : "backward", ratio_text(ratio->median), ratio_text(ratio->low),
                  ratio_text(ratio->high), peer->library, seconds_text(theirs->median), seconds_text(own->median)));
  std::string number = ratio_text(ratio->median);
  svg.text(x + cell / 2, y + half - 3, Anchor::middle, "ratio", number.substr(0, number.find("×")));
}

double draw_lane(Svg& svg, const Lane& lane, const Scale& x, double y) {
  svg.line(0, y - 2, x.to + cell / 2, y - 2, "grid");
  svg.text(0, y + half + 4, Anchor::start, "label", fitted(lane.name, names - 8, font), lane.name);
  for (const auto& [one, number] : lane.cells) {
    const double left = x(one->question->bytes()) - cell / 2, upper = y + row * static_cast<double>(number);
    svg.rect(left, upper, cell, 2 * half, "under");  // no line shines through
    draw_half(svg, *one, true, left, upper);
    draw_half(svg, *one, false, left, upper + half);
  }
  return y + row * static_cast<double>(lane.ends.size());
}

void draw_caches(Svg& svg, const Merged& merged, const Scale& x, double bottom) {
  std::map<double, std::string> labels;
  std::vector<double> sizes;
  for (const auto& [name, bytes] : merged.files.front().caches)
    if (bytes >= x.lo && bytes <= x.hi) labels[bytes] = fmt::format("{} {}", name, bytes_text(bytes));
  for (const auto& [bytes, label] : labels) {
    sizes.push_back(bytes);
    svg.line(x(bytes), top - 6, x(bytes), bottom, "limit");
  }
  for (const double bytes : apart(sizes, x, [&](double size) { return text_width(labels[size], small_font); }))
    svg.text(x(bytes), 10, Anchor::middle, "small", labels[bytes]);
}

double draw_shades(Svg& svg, double y) {
  constexpr double step = 70;
  for (std::size_t i = 0; i < shades.size(); ++i) {
    const double x = step * static_cast<double>(i);
    svg.rect(x, y, step - 4, half, fmt::format("sample {}", shades[i].classes));
    svg.text(x + step / 2 - 2, y + half - 3, Anchor::middle, "ratio", shades[i].label);
  }
  svg.text(0, y + half + 16, Anchor::start, "muted",
           "time of the best peer / time of shardfft; upper half forward, lower half backward");
  return y + half + 22;
}

std::string power_text(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:g} {}", bytes, units[unit]);
}

}  // namespace

WideChart map_chart(const std::vector<Comparison>& all, const Merged& merged) {
  std::vector<const Comparison*> sorted;
  for (const Comparison& one : all)
    if (one.peer && one.peer->ratio) sorted.push_back(&one);
  if (sorted.size() < fewest) return {};
  std::ranges::stable_sort(sorted, {}, [](const Comparison* one) { return one->question->bytes(); });
  const double lo = std::floor(std::log2(sorted.front()->question->bytes())),
               hi = std::max(lo + 14, std::ceil(std::log2(sorted.back()->question->bytes())));
  const double from = names + cell / 2;
  const Scale x{std::exp2(lo), std::exp2(hi), true, from, from + octave * (hi - lo)};
  const std::vector<Lane> lanes = lanes_of(sorted, merged, x);
  std::vector<double> powers;
  for (double power = lo; power <= hi; power += 2) powers.push_back(std::exp2(power));
  std::size_t rows = 0;
  for (const Lane& lane : lanes) rows += lane.ends.size();
  const double bottom = top + row * static_cast<double>(rows), width = x.to + octave;
  Svg svg(width, "Map of ratios to the best peer",
          "A cell for each case, by the bytes of its array; upper half forward, lower half backward: the time of the "
          "fastest other library divided by that of shardfft. Above 1, green: shardfft is faster.");
  const double end = draw_bottom_axis(svg, x, powers, power_text, top, bottom, "bytes of the array, all fields");
  draw_caches(svg, merged, x, bottom);
  double y = top;
  for (const Lane& lane : lanes) y = draw_lane(svg, lane, x, y);
  return {svg.finish(draw_shades(svg, end + 4)), width};
}

}  // namespace shardfft::report
