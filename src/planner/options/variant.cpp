#include "planner/options/variant.hpp"

#include <fmt/format.h>

#include "planner/options/option_table.hpp"

namespace shardfft {

bool operator==(const Tuning& a, const Tuning& b) { return changed_choices(a, b) == 0; }

namespace {

/// The word for a choice of a variant; empty for a choice that plays no part.
template <class Field>
std::string word_of(const OptionRow& row, const Field& field, const Tuning& v) {
  const auto& value = field.in(v);
  if (!(value == field.unset())) return option_word(value);
  return row.name == "tile" ? "least" : row.name == "threads" ? "default" : row.name == "decomposition" ? "free" : "";
}

}  // namespace

std::string to_string(const Tuning& v) {
  std::string text = fmt::format("{} {} {}", v.engine, v.transport, v.decomposition.empty() ? "free" : v.decomposition);
  if (v.ranks_grid.dims() > 0) text += ' ' + option_word(v.ranks_grid);
  for_each_tried([&](const OptionRow& row, const auto& field) {
    if (row.name == "engine" || row.name == "transport" || row.name == "decomposition" || row.name == "ranks_grid")
      return;
    if (const std::string word = word_of(row, field, v); !word.empty()) text += fmt::format(" {} {}", row.name, word);
  });
  return text;
}

std::string changes(const Tuning& variant, const Tuning& other) {
  std::string text;
  for_each_tried([&](const OptionRow& row, const auto& field) {
    const std::string word = word_of(row, field, variant);
    if (!word.empty() && word != word_of(row, field, other))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", row.name, word);
  });
  return text;
}

// In a variant, threads are a part of those that the rank has.
bool agrees(const Tuning& variant, const Options& given) {
  bool all = true;
  for_each_tried([&](const OptionRow& row, const auto& field) {
    const auto &mine = field.in(variant), &theirs = field.in(given);
    const bool all_threads = row.name == "threads" && mine == field.unset();
    all = all && (theirs == field.unset() || theirs == mine || all_threads);
  });
  return all;
}

int changed_choices(const Tuning& a, const Tuning& b) {
  int n = 0;
  for_each_tried([&](const OptionRow&, const auto& field) { n += !(field.in(a) == field.in(b)); });
  const bool both = a.decomposition != b.decomposition && !(a.ranks_grid == b.ranks_grid);
  return n - both;
}

void fill_in(Choices& choices, const Tuning& variant, const std::string& origin) {
  for_each_tried([&](const OptionRow& row, const auto& field) {
    auto& chosen = field.in(choices.options);
    const auto& value = field.in(variant);
    if (!(chosen == field.unset()) || value == field.unset()) return;
    chosen = value;
    choices.made.push_back({std::string(row.name), option_word(value), origin});
  });
}

std::string given_text(const Options& given) {
  std::string text;
  for (const OptionEntry& entry : option_entries())
    if (entry.row.in_wisdom == InWisdom::chosen && entry.is_set(given))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", entry.row.name, entry.text(given));
  return text;
}

Options left_open(Options given) {
  for (const OptionEntry& entry : option_entries())
    if (entry.row.in_wisdom == InWisdom::chosen) entry.set(given, "", entry.row.name);
  return given;
}

}  // namespace shardfft
