#include "svg.hpp"

#include <array>

#include <fmt/format.h>

#include "report/page/text.hpp"

namespace shardfft::report {
namespace {

std::string hinted(std::string_view hint) {
  return hint.empty() ? "" : fmt::format("<title>{}</title>", escaped(hint));
}

/// Eight marks of about the same size around 0, 0.
constexpr std::array<const char*, looks> shapes{
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "M-4 -4h8v8h-8z",
    "M0 -5.2L5 3.8H-5z",
    "M0 -5.6L5.2 0L0 5.6L-5.2 0z",
    "M0 5.2L5 -3.8H-5z",
    "M-1.7 -5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
    "M-5 -2.6L-2.6 -5L0 -2.4L2.6 -5L5 -2.6L2.4 0L5 2.6L2.6 5L0 2.4L-2.6 5L-5 2.6L-2.4 0z",
    "M0 -5.4L1.5 -1.9L5.2 -1.6L2.4 0.9L3.3 4.6L0 2.6L-3.3 4.6L-2.4 0.9L-5.2 -1.6L-1.5 -1.9z",
};
}  // namespace

Svg::Svg(double width, std::string title, std::string description)
    : width_(width), title_(std::move(title)), description_(std::move(description)) {}

void Svg::rect(double x, double y, double width, double height, std::string_view classes, std::string_view hint) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"1.5\" class=\"{}\">{}</rect>", x, y,
      width, height, classes, hinted(hint));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>", x1, y1, x2, y2,
                       classes);
}

void Svg::path(const std::string& d, std::string_view classes) {
  body_ += fmt::format("<path d=\"{}\" class=\"{}\"/>", d, classes);
}

void Svg::text(double x, double y, Anchor anchor, std::string_view classes, std::string_view text,
               std::string_view hint) {
  static constexpr std::array anchors{"start", "middle", "end"};
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}{}</text>", x, y,
                       anchors[static_cast<std::size_t>(anchor)], classes, escaped(text), hinted(hint));
}

void Svg::mark(double x, double y, const Mark& mark, std::string_view hint) {
  body_ += fmt::format("<path transform=\"translate({:.1f} {:.1f})\" d=\"{}\" class=\"mark {}{}\">{}</path>", x, y,
                       shapes[static_cast<std::size_t>(mark.shape)], mark.hollow ? "hollow s" : "f", mark.colour,
                       hinted(hint));
}

void Svg::interval_across(double low, double high, double y) {
  constexpr double cap = 3;
  path(fmt::format("M{0:.1f} {2:.1f}V{3:.1f}M{0:.1f} {4:.1f}H{1:.1f}M{1:.1f} {2:.1f}V{3:.1f}", low, high, y - cap,
                   y + cap, y),
       "whisker");
}

void Svg::interval_upright(double x, double low, double high) {
  constexpr double cap = 3;
  path(fmt::format("M{2:.1f} {0:.1f}H{3:.1f}M{4:.1f} {0:.1f}V{1:.1f}M{2:.1f} {1:.1f}H{3:.1f}", low, high, x - cap,
                   x + cap, x),
       "whisker");
}

std::string Svg::finish(double height) const {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\"><title>{}</title><desc>{}</desc>{}</svg>\n",
                     width_, height, escaped(title_), escaped(description_), body_);
}

}  // namespace shardfft::report
