// Choices as text: how each is read and written, and the rules that values keep.
#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/options/option_table.hpp"
#include "shardfft/error.hpp"
#include "support/text/did_you_mean.hpp"
#include "support/text/number.hpp"
#include "support/text/text.hpp"

namespace shardfft {
namespace {

[[noreturn]] void refuse(std::string_view caller, const std::string& rule) {
  throw Error(Status::invalid_argument, fmt::format("{} {}; {}", caller, rule, otherwise(caller)));
}

template <class T>
bool read_numbers(const std::string& text, char separator, std::vector<T>& numbers) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (numbers.size() == std::size_t{max_dims} ||
        !read_number(std::string_view(text).substr(at, end - at), numbers.emplace_back()))
      return false;
    at = end + 1;
  }
  return true;
}

// The rule that a text breaks; empty if the value was read.
std::string read(const OptionRow&, const std::string& text, bool& value) {
  value = text == "true" || text == "1";
  return value || text == "false" || text == "0" ? "" : "must be true or false";
}
std::string read(const OptionRow&, const std::string& text, int& value) {
  return read_number(text, value) ? "" : "must be a whole number";
}
std::string read(const OptionRow&, const std::string& text, double& value) {
  return read_number(text, value) ? "" : "must be a number";
}
std::string read(const OptionRow&, const std::string& text, std::string& value) {
  value = text;
  return {};
}
std::string read(const OptionRow&, const std::string& text, Coord& value) {
  std::vector<Index> numbers;
  if (!read_numbers(text, 'x', numbers)) return "must be 1 to 8 whole numbers joined by x, such as 2x3";
  value = Coord(numbers);
  return {};
}
std::string read(const OptionRow&, const std::string& text, std::vector<int>& value) {
  value.clear();
  return read_numbers(text, ',', value) ? "" : "must be 1 to 8 whole numbers joined by commas, such as 2,0,1";
}
std::string one_of(const OptionRow& row) { return fmt::format("must be one of {}", fmt::join(row.words, ", ")); }
template <OptionWord Word>
std::string read(const OptionRow& row, const std::string& text, Word& value) {
  const auto place = place_of_word(row, text);
  value = static_cast<Word>(place.value_or(0));
  return place ? "" : one_of(row);
}

std::string range_text(const OptionRow& row, double most) {
  return most == any_number ? fmt::format("at least {}", row.least)
                            : fmt::format("from {:.10g} to {:.10g}", row.least, most);
}

// The rule that a value breaks, if it breaks one. `most`: of numbers.
std::string rule_on(const OptionRow&, double, bool) { return {}; }
std::string rule_on(const OptionRow& row, double most, double value) {
  const bool kept = value >= row.least && value <= most;
  return kept ? std::string() : fmt::format("must be a finite number {}", range_text(row, most));
}
std::string rule_on(const OptionRow& row, double most, int value) {
  return value >= row.least && value <= most ? std::string() : fmt::format("must be {}", range_text(row, most));
}
std::string rule_on(const OptionRow& row, double, const std::string& value) {
  if (value.empty() || row.words.empty() || std::ranges::count(row.words, value) > 0) return {};
  return one_of(row);
}
std::string rule_on(const OptionRow& row, double, OptionWord auto value) {
  return static_cast<std::size_t>(value) < row.words.size() ? std::string() : one_of(row);
}
template <std::ranges::range Numbers>
std::string rule_on(const OptionRow& row, double most, const Numbers& values) {
  const bool kept = std::all_of(values.begin(), values.end(), [&](Index n) {
    return static_cast<double>(n) >= row.least && static_cast<double>(n) <= most;
  });
  return kept ? std::string() : fmt::format("must have numbers that are {}", range_text(row, most));
}

std::string meant(const std::string& got, const OptionRow& row) {
  return did_you_mean(got, std::vector<std::string>(row.words.begin(), row.words.end()));
}

// With what was got.
template <class T>
std::optional<std::string> broken(const OptionRow& row, double most, const T& value) {
  const std::string rule = rule_on(row, most, value), got = option_word(value);
  if (rule.empty()) return {};
  return row.type == OptionType::word ? fmt::format("{}; got '{}'{}", rule, got, meant(got, row))
                                      : fmt::format("{}; got {}", rule, got);
}

}  // namespace

std::string option_word(bool value) { return value ? "true" : "false"; }
std::string option_word(int value) { return std::to_string(value); }
std::string option_word(double value) { return fmt::format("{}", value); }
std::string option_word(const std::string& value) { return value; }
std::string option_word(const Coord& value) { return fmt::format("{}", fmt::join(value, "x")); }
std::string option_word(const std::vector<int>& value) { return fmt::format("{}", fmt::join(value, ",")); }

bool OptionEntry::is_set(const Options& options) const {
  return std::visit([&](const auto& f) { return !(f.in(options) == f.unset()); }, field);
}

std::string OptionEntry::text(const Options& options) const {
  return std::visit([&](const auto& f) { return option_word(f.in(options)); }, field);
}

bool OptionEntry::is_open(const Tuning& tuning) const {
  return std::visit([&](const auto& f) { return f.in(tuning) == f.unset(); }, field);
}

std::string OptionEntry::text(const Tuning& tuning) const {
  return std::visit([&](const auto& f) { return option_word(f.in(tuning)); }, field);
}

void OptionEntry::set(Tuning& tuning, std::string_view text) const {
  Options options;
  set(options, text, row.name);
  std::visit([&](const auto& f) { f.in(tuning) = std::move(f.in(options)); }, field);
}

void OptionEntry::set(Options& options, std::string_view text, std::string_view caller) const {
  const std::string word = lower(text);
  std::visit(
      [&](const auto& f) {
        auto value = f.unset();
        const std::string unread = word.empty() ? "" : read(row, word, value);
        if (!unread.empty()) refuse(caller, fmt::format("{}; got '{}'{}", unread, text, meant(word, row)));
        if (const auto rule = broken(row, std::max(row.most, row.most_on_device), value)) refuse(caller, *rule);
        f.in(options) = std::move(value);
      },
      field);
}

std::optional<std::string> OptionEntry::broken_rule(const Options& options) const {
  const double most = options.device.empty() ? row.most : std::max(row.most, row.most_on_device);
  return std::visit([&](const auto& f) { return broken(row, most, f.in(options)); }, field);
}

std::optional<int> place_of_word(const OptionRow& row, const std::string& text) {
  if (const auto found = std::ranges::find(row.words, text); found != row.words.end())
    return static_cast<int>(found - row.words.begin());
  int number = 0;
  const bool stands = read_number(text, number) && row.least < row.most && number >= row.least && number <= row.most;
  return stands ? std::optional(number + 1) : std::nullopt;
}

std::string otherwise(std::string_view caller) {
  return fmt::format("{} for the default", caller.starts_with("SHARDFFT_") ? "unset it"
                                           : caller.starts_with("--")      ? "leave it out"
                                                                           : "leave it alone");
}

void set_option(Options& options, std::string_view name, std::string_view text) {
  find_option(name).set(options, text, name);
}

std::string option_text(const Options& options, std::string_view name) { return find_option(name).text(options); }

void check_option(const Options& options, std::string_view name) {
  if (const auto rule = find_option(name).broken_rule(options)) refuse(name, *rule);
}

}  // namespace shardfft
