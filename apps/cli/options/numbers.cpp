#include "options/numbers.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::cli {
namespace {

[[noreturn]] void refuse_numbers(const std::string& rule, const std::string& got, const std::string& remedy) {
  throw Error(Status::invalid_argument, fmt::format("{}; got '{}'; {}", rule, got, remedy));
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool parse_number(const std::string& text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::vector<std::string> for_axes(const char* option, const std::string& text, int axes) {
  std::vector<std::string> parts = split(text, ',');
  if (parts.size() == 1) parts.resize(static_cast<std::size_t>(axes), parts[0]);
  if (static_cast<int>(parts.size()) != axes)
    refuse_numbers(fmt::format("{} has a value for each of {} axes, joined by commas, or one for all", option, axes),
                   text, fmt::format("give {} of them", axes));
  return parts;
}

std::vector<double> numbers_along(const char* option, const std::string& text, int axes) {
  std::vector<double> values;
  if (text.empty()) return values;
  for (const std::string& part : for_axes(option, text, axes))
    if (!parse_number(part, values.emplace_back()))
      refuse_numbers(fmt::format("{} has numbers joined by commas", option), text,
                     fmt::format("write for example {} 1,1,2.5", option));
  return values;
}

}  // namespace shardfft::cli
