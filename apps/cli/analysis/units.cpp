#include "analysis/units.hpp"

#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "options/numbers.hpp"
#include "shardfft/error.hpp"

namespace shardfft::cli {
namespace {

[[noreturn]] void refuse_unit(const std::string& rule, const std::string& got, const std::string& remedy) {
  throw Error(Status::invalid_argument, fmt::format("{}; got '{}'; {}", rule, got, remedy));
}

/// "10um" to "10" and "um".
std::pair<std::string, std::string> parted(const std::string& text) {
  std::size_t end = text.size();
  while (end > 0 && text[end - 1] != ',' && text[end - 1] != '.' && (text[end - 1] < '0' || text[end - 1] > '9')) --end;
  return {text.substr(0, end), text.substr(end)};
}

/// Metres of a unit; 0 of one that is not known.
double metres(const std::string& unit) {
  constexpr std::pair<const char*, double> known[] = {
      {"m", 1},     {"cm", 1e-2}, {"mm", 1e-3},        {"um", 1e-6},  {"\xC2\xB5m", 1e-6}, {"\xCE\xBCm", 1e-6},
      {"nm", 1e-9}, {"A", 1e-10}, {"angstrom", 1e-10}, {"pm", 1e-12}, {"km", 1e3}};
  for (const auto& [name, length] : known)
    if (unit == name) return length;
  return 0;
}

}  // namespace

Spacing::Spacing(const std::string& text) {
  if (text.empty()) return;
  std::tie(numbers_, unit_) = parted(text);
  double ignored = 0;
  for (const std::string& part : split(numbers_, ','))
    if (!parse_number(part, ignored) || ignored <= 0)
      refuse_unit("--spacing has positive numbers joined by commas, and perhaps a unit behind them", text,
                  "write for example --spacing 2,0.5,0.5um");
}

std::vector<double> Spacing::along(int axes) const { return numbers_along("--spacing", numbers_, axes); }

double Spacing::length(const char* option, const std::string& text) const {
  const auto [digits, unit] = parted(text);
  double number = 0;
  if (!parse_number(digits, number))
    refuse_unit(fmt::format("{} is a length: a number, and perhaps a unit", option), text,
                fmt::format("write for example {} 10{}", option, unit_));
  if (unit.empty() || unit == unit_) return number;
  const double theirs = metres(unit), ours = metres(unit_);
  if (theirs == 0 || ours == 0)
    refuse_unit(fmt::format("{} is in the unit of --spacing, {}, or in another one of metres", option,
                            unit_.empty() ? "which names none" : "'" + unit_ + "'"),
                text, "leave the unit out, or give one to --spacing");
  return number * (theirs / ours);
}

std::vector<double> Spacing::lengths(const char* option, const std::string& text, int axes) const {
  const auto [digits, unit] = parted(text);
  std::vector<double> all;
  for (const std::string& part : for_axes(option, digits, axes)) all.push_back(length(option, part + unit));
  return all;
}

double Spacing::wave_number(const char* option, const std::string& text) const {
  double number = 0;
  const bool k = text.starts_with("k="), f = text.starts_with("f=");
  if (k || f) {
    if (!parse_number(text.substr(2), number) || number <= 0)
      refuse_unit(fmt::format("{} is positive", option), text, fmt::format("write for example {} k=0.3", option));
    return k ? number : 2 * std::numbers::pi * number;
  }
  number = length(option, text);
  if (!(number > 0))
    refuse_unit(fmt::format("{} is a positive length, k=K or f=F", option), text,
                fmt::format("write for example {} 10{}", option, unit_));
  return 2 * std::numbers::pi / number;
}

double Spacing::width(const char* option, const std::string& text) const {
  double ignored = 0;
  return wave_number(option, parse_number(text, ignored) ? "k=" + text : text);
}

std::string Spacing::told(double wave_number) const {
  const std::string unit = unit_.empty() ? "" : " " + unit_, per = unit_.empty() ? "unit" : unit_;
  return fmt::format("length {:.6g}{}, k = {:.6g} rad/{}, f = {:.6g} cycles/{}", 2 * std::numbers::pi / wave_number,
                     unit, wave_number, per, wave_number / (2 * std::numbers::pi), per);
}

}  // namespace shardfft::cli
