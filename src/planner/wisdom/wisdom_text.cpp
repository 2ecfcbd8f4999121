#include "planner/wisdom/wisdom_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/options/option_table.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& text) { throw Error(Status::io_failed, text); }

const json& member(const json& entry, const char* name) {
  if (!entry.is_object() || !entry.contains(name)) fail(fmt::format("{} is missing", name));
  return entry[name];
}

std::string text_from(const json& entry, const char* name) {
  const json& value = member(entry, name);
  if (!value.is_string()) fail(fmt::format("{} is a text; got {}", name, value.type_name()));
  const std::string text = value;
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' '; }))
    fail(fmt::format("{} is one line; got {}", name, value.dump()));
  return text;
}

std::string date_from(const json& entry) {
  const std::string date = text_from(entry, "date"), form = "0000-00-00";
  const auto fits = [](char c, char f) { return f == '-' ? c == '-' : c >= '0' && c <= '9'; };
  if (!std::equal(date.begin(), date.end(), form.begin(), form.end(), fits))
    fail(fmt::format("date is one such as 2026-11-20; got '{}'", date));
  return date;
}

std::string effort_from(const json& entry) {
  const std::string effort = text_from(entry, "effort");
  if (effort != "measure" && effort != "exhaustive")
    fail(fmt::format("effort is one of measure, exhaustive; got '{}'", effort));
  return effort;
}

double seconds_from(const json& entry, const char* name) {
  const json& value = member(entry, name);
  if (!value.is_number()) fail(fmt::format("{} is a number; got {}", name, value.type_name()));
  const double seconds = value;
  if (!std::isfinite(seconds) || seconds < 0) fail(fmt::format("{} is finite and not negative; got {}", name, seconds));
  return seconds;
}

template <class Whole>
Whole whole_from(const json& value, const char* name) {
  const bool fits =
      value.is_number_integer() && (value.is_number_unsigned() ? std::in_range<Whole>(value.get<std::uint64_t>())
                                                               : std::in_range<Whole>(value.get<std::int64_t>()));
  if (!fits)
    fail(fmt::format("{} is a whole number of at most {} bits; got {}", name, 8 * sizeof(Whole),
                     value.is_number() ? value.dump() : value.type_name()));
  return value.get<Whole>();
}

int number_from(const json& entry, const char* name) { return whole_from<int>(member(entry, name), name); }

int count_from(const json& entry, const char* name) {
  const int count = number_from(entry, name);
  if (count < 0) fail(fmt::format("{} is not negative; got {}", name, count));
  return count;
}

bool truth_from(const json& entry, const char* name) {
  const json& value = member(entry, name);
  if (!value.is_boolean()) fail(fmt::format("{} is true or false; got {}", name, value.dump()));
  return value;
}

Coord grid_from(const json& entry, const char* name) {
  const json& values = member(entry, name);
  if (!values.is_array()) fail(fmt::format("{} is a list of numbers; got {}", name, values.type_name()));
  std::vector<Index> grid;
  for (const json& value : values) grid.push_back(whole_from<Index>(value, name));
  return Coord(grid);
}

std::vector<int> list_from(const json& entry, const char* name) {
  const Coord numbers = grid_from(entry, name);
  return {numbers.begin(), numbers.end()};
}

void read(const json& entry, const OptionRow& row, bool& value) { value = truth_from(entry, row.name.data()); }
void read(const json& entry, const OptionRow& row, double& value) { value = seconds_from(entry, row.name.data()); }
void read(const json& entry, const OptionRow& row, std::vector<int>& value) {
  value = list_from(entry, row.name.data());
}
void read(const json& entry, const OptionRow& row, std::string& value) { value = text_from(entry, row.name.data()); }
void read(const json& entry, const OptionRow& row, int& value) { value = number_from(entry, row.name.data()); }
void read(const json& entry, const OptionRow& row, Coord& value) { value = grid_from(entry, row.name.data()); }
// Earlier files have numbers.
void read(const json& entry, const OptionRow& row, OptionWord auto& value) {
  const char* name = row.name.data();
  const std::string text =
      member(entry, name).is_string() ? text_from(entry, name) : option_word(number_from(entry, name));
  const auto place = place_of_word(row, text);
  if (!place) fail(fmt::format("{} is one of {}; got '{}'", name, fmt::join(row.words, ", "), text));
  value = static_cast<std::remove_reference_t<decltype(value)>>(*place);
}

json written(const auto& value) { return value; }
json written(const OptionWord auto& value) { return option_word(value); }
json written(const Coord& value) { return std::vector<Index>(value.begin(), value.end()); }

// Every file has these. Others came later: what does not name them left them open.
bool is_in_every_file(std::string_view name) {
  constexpr std::string_view first[] = {"engine", "transport", "decomposition", "ranks_grid",   "threads",
                                        "chunks", "tile",      "fuse",          "intermediate", "non_temporal"};
  return std::ranges::find(first, name) != std::end(first);
}

// What is kept obeys the rules of options: it fills them in. Beyond that, it says what was measured, so that it leaves
// none of these open.
void check_as_options(const Tuning& v) {
  Choices choices;
  if (v.engine == "library" || v.engine == "fused") choices.options.device = "any";
  fill_in(choices, v, "wisdom");
  if (const auto broken = broken_rule(choices.options)) fail(fmt::format("{} {}", broken->option, broken->rule));
  for (const char* name : {"engine", "transport", "chunks", "fuse", "intermediate", "non_temporal"})
    if (choices.origin(name) != "wisdom") fail(fmt::format("{} is left open", name));
}

Measured measured_from(const json& entry) {
  Measured m{.variant = variant_from(entry), .seconds = seconds_from(entry, "seconds")};
  check_as_options(m.variant);
  return m;
}

json json_of(const Measured& m) {
  json all = json_of(m.variant);
  all["seconds"] = m.seconds;
  return all;
}

}  // namespace

json json_of(const Tuning& variant) {
  json all;
  for_each_tried(
      [&](const OptionRow& row, const auto& field) { all[std::string(row.name)] = written(field.in(variant)); });
  return all;
}

Tuning variant_from(const json& entry) {
  Tuning v;
  for_each_tried([&](const OptionRow& row, const auto& field) {
    if (is_in_every_file(row.name) || entry.contains(std::string(row.name))) read(entry, row, field.in(v));
  });
  return v;
}

json json_of(const WisdomEntry& entry) {
  json measured = json::array();
  for (const Measured& m : entry.measured) measured.push_back(json_of(m));
  return {{"date", entry.date},
          {"effort", entry.effort},
          {"model_seconds", entry.model_seconds},
          {"measured", measured},
          {"tried", entry.tried},
          {"candidates", entry.candidates},
          {"complete", entry.complete},
          {"tune_seconds", entry.tune_seconds}};
}

std::string to_text(const WisdomEntry& entry) {
  json all = json_of(entry);
  all["key"] = entry.key;
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

WisdomEntry entry_from(const std::string& key, const json& entry) {
  WisdomEntry e{.key = key,
                .date = date_from(entry),
                .effort = effort_from(entry),
                .model_seconds = seconds_from(entry, "model_seconds")};
  if (entry.contains("complete")) {  // before, nobody knew
    e.tried = count_from(entry, "tried");
    e.candidates = count_from(entry, "candidates");
    e.complete = truth_from(entry, "complete");
    e.tune_seconds = seconds_from(entry, "tune_seconds");
  }
  const json& measured = member(entry, "measured");
  if (!measured.is_array() || measured.empty()) fail("nothing was measured");
  for (const json& m : measured) e.measured.push_back(measured_from(m));
  return e;
}

std::string damage_text(const DamagedEntry& entry) {
  return fmt::format("the entry '{}' is damaged ({}); forget it: shardfft wisdom forget {}", entry.key, entry.why,
                     id_of(entry.key));
}

}  // namespace shardfft
