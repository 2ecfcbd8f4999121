#include "text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardfft::report {
namespace {

/// Length of the UTF-8 character that begins at `i`; 0 when none does.
std::size_t character(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = i + 1; k < i + length; ++k)
    if ((byte(k) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(i + 1) < 0xA0) || (first == 0xF0 && byte(i + 1) < 0x90);
  const bool outside = (first == 0xED && byte(i + 1) > 0x9F) || (first == 0xF4 && byte(i + 1) > 0x8F);
  return overlong || outside ? 0 : length;
}

/// What one character of one byte becomes.
std::string escaped(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
      return " ";
    default:
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? "\uFFFD" : std::string(1, c);
  }
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character(text, i);
    out += length == 0 ? "\uFFFD" : length == 1 ? escaped(text[i]) : std::string(text.substr(i, length));
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string escaped_lines(std::string_view text) {
  std::string out;
  for (std::size_t end = text.find('\n'); end != text.npos; text.remove_prefix(end + 1), end = text.find('\n'))
    out += escaped(text.substr(0, end)) + '\n';
  return out + escaped(text);
}

TimeUnit time_unit(double largest) {
  if (largest >= 0.9995) return {"s", 1};
  if (largest >= 0.9995e-3) return {"ms", 1e-3};
  return {"µs", 1e-6};
}

std::string seconds_text(double seconds) {
  const TimeUnit unit = time_unit(seconds);
  return fmt::format("{} {}", three_digits(seconds / unit.seconds), unit.name);
}

std::string bytes_text(double bytes) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1023.5 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{} {}", three_digits(bytes), units[unit]);
}

std::string ratio_text(double ratio) { return three_digits(ratio) + "×"; }

std::string percent_text(double share) { return fmt::format("{:.0f} %", 100 * share); }

// Fewer than 6 launches are told by their coverage, 1 - 2^(1-n).
std::string interval_text(const Interval& i) {
  if (i.coverage >= 0.95) return "95 % interval";
  if (i.coverage >= enough_coverage) return percent_text(i.coverage) + " interval";
  const double launches = std::round(1 - std::log2(1 - i.coverage));
  return launches < 1.5 ? "one launch" : fmt::format("least and largest of {:.0f} launches", launches);
}

const char* outcome_class(Outcome outcome) {
  return outcome == Outcome::faster ? "faster" : outcome == Outcome::slower ? "slower" : "equal";
}

std::string short_number(double value) {
  if (value != 0 && (std::abs(value) >= 1e5 || std::abs(value) < 1e-3)) {
    const double exponent = std::floor(std::log10(std::abs(value)) + 1e-9);
    return fmt::format("{:g}e{:.0f}", std::round(value / std::pow(10, exponent) * 100) / 100, exponent);
  }
  return fmt::format("{:g}", value);
}

std::string count_text(double value) {
  std::string text = fmt::format("{:.0f}", value);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, "\u202F");  // a narrow space that does not break
  return text;
}

std::string shape_text(const Case& c) {
  static constexpr std::array powers{"", "", "²", "³", "⁴"};
  const bool cube = std::ranges::all_of(c.shape, [&](std::int64_t n) { return n == c.shape[0]; });
  if (cube && c.shape.size() < powers.size()) return fmt::format("{}{}", c.shape[0], powers[c.shape.size()]);
  return fmt::format("{}", fmt::join(c.shape, " × "));
}

std::string ranks_text(const Case& c) {
  const auto counted = [](std::int64_t n, const char* noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
  };
  std::string text = fmt::format("{} × {}", counted(c.ranks, "rank"), counted(c.threads, "thread"));
  if (!c.grid.empty()) text += fmt::format(" as {}", c.grid);
  return c.nodes > 1 ? fmt::format("{} on {}", text, counted(c.nodes, "node")) : text;
}

std::string problem_text(const Case& c) {
  std::string text = fmt::format("{} {} {} {}", shape_text(c), c.kind, c.precision, c.layout);
  if (!c.axes.empty()) text += fmt::format(" axes {}", fmt::join(c.axes, ", "));
  return c.batch == 1 ? text : fmt::format("{} × {} arrays", text, c.batch);
}

std::string case_text(const Case& c) { return fmt::format("{}, {}", problem_text(c), ranks_text(c)); }

double text_width(std::string_view text, double size) { return 0.6 * size * static_cast<double>(characters(text)); }

std::string fitted(const std::string& text, double width, double size) {
  if (text_width(text, size) <= width) return text;
  const auto most = static_cast<std::size_t>(std::max(1.0, width / (0.6 * size) - 1));
  std::size_t kept = 0, seen = 0;
  while (kept < text.size() && seen < most) {
    kept += std::max<std::size_t>(character(text, kept), 1);
    ++seen;
  }
  return text.substr(0, kept) + "…";
}

}  // namespace shardfft::report
