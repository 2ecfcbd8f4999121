// The one table of choices: what the public face tells of each, and where its value is.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "planner/decide/variant.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

/// Where a choice is kept.
template <class T>
struct OptionField {
  T Options::* chosen;
  [[nodiscard]] T unset() const { return Options().*chosen; }
};
/// The same of one that the tuner varies.
template <class T>
struct VariedField {
  T Options::* chosen;
  T Variant::* varied;
  [[nodiscard]] T unset() const { return Options().*chosen; }
};

struct OptionEntry {
  OptionRow row;
  std::variant<OptionField<bool>, OptionField<int>, OptionField<double>, OptionField<std::string>,
               OptionField<std::vector<int>>, VariedField<int>, VariedField<std::string>, VariedField<Coord>>
      field;

  [[nodiscard]] bool is_set(const Options& options) const;
  [[nodiscard]] std::string text(const Options& options) const;
  /// As set_option().
  void set(Options& options, std::string_view text, std::string_view caller) const;
  /// Which rule its value breaks: "must be from 0 to 256; got 257"; nothing if it keeps all.
  [[nodiscard]] std::optional<std::string> broken_rule(const Options& options) const;
};

[[nodiscard]] std::span<const OptionEntry> option_entries();
/// By the name of a row, its variable or its flag. Throws Error(invalid_argument).
[[nodiscard]] const OptionEntry& find_option(std::string_view name);

/// visit(row, field) of every choice that the tuner varies.
template <class Visit>
void for_each_varied(Visit visit) {
  for (const OptionEntry& entry : option_entries())
    std::visit(
        [&](const auto& field) {
          if constexpr (requires { field.varied; }) visit(entry.row, field);
        },
        entry.field);
}

/// The remedy for a value that breaks a rule: how the caller leaves out a variable, a flag or a field.
[[nodiscard]] std::string otherwise(std::string_view caller);

/// As options are written.
[[nodiscard]] std::string option_word(bool value);
[[nodiscard]] std::string option_word(int value);
[[nodiscard]] std::string option_word(double value);
[[nodiscard]] std::string option_word(const std::string& value);
[[nodiscard]] std::string option_word(const Coord& value);
[[nodiscard]] std::string option_word(const std::vector<int>& value);

}  // namespace shardfft
