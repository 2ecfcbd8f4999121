#include "support/text/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace shardfft {

// The limits are where rounding would show 1024 of a unit.
std::string bytes_text(double bytes) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
  std::size_t unit = 0;
  while (bytes >= (unit == 0 ? 1023.5 : 1023.95) && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds < 999.95e-9) return fmt::format("{:.1f} ns", 1e9 * seconds);
  if (seconds < 999.95e-6) return fmt::format("{:.1f} us", 1e6 * seconds);
  if (seconds < 999.995e-3) return fmt::format("{:.2f} ms", 1e3 * seconds);
  return fmt::format("{:.3f} s", seconds);
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_unit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The end of the first line of `text`: the last space that does not part a number from its unit, if there is one.
std::size_t end_of_line(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text.size();
  std::size_t last = std::string_view::npos;
  for (std::size_t i = room; i > 0; --i) {
    if (text[i] != ' ') continue;
    if (!(is_digit(text[i - 1]) && begins_unit(text[i + 1]))) return i;
    if (last == std::string_view::npos) last = i;
  }
  return last == std::string_view::npos ? room : last;
}

}  // namespace

std::string paragraph(std::string_view head, std::string_view text, std::size_t columns) {
  const std::string indent(head.size(), ' ');
  const std::size_t room = columns > head.size() ? columns - head.size() : 1;
  std::string all, begin(head);
  do {
    const std::size_t end = end_of_line(text, room);
    all += begin;
    all += text.substr(0, end);
    while (!all.empty() && all.back() == ' ') all.pop_back();
    all += '\n';
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ', end)));
    begin = indent;
  } while (!text.empty());
  return all;
}

std::string counted(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return all;
}

}  // namespace shardfft
