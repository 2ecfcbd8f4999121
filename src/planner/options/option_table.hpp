// The one table of choices: what the public face tells of each, and where its value is.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "shardfft/options.hpp"
#include "support/tuning.hpp"

namespace shardfft {

/// The members of Options and of Tuning that keep a choice.
template <class T>
struct OptionField {
  constexpr explicit OptionField(T Options::* member, T Tuning::* tuning = nullptr) : daily(member), tuned(tuning) {}
  constexpr explicit OptionField(T ExpertOptions::* member) : expert(member), tuned(member) {}
  T Options::* daily = nullptr;
  T ExpertOptions::* expert = nullptr;
  T Tuning::* tuned = nullptr;  ///< nullptr: the caller alone says it

  [[nodiscard]] T& in(Options& o) const { return daily ? o.*daily : o.expert.*expert; }
  [[nodiscard]] const T& in(const Options& o) const { return daily ? o.*daily : o.expert.*expert; }
  [[nodiscard]] T& in(Tuning& t) const { return t.*tuned; }
  [[nodiscard]] const T& in(const Tuning& t) const { return t.*tuned; }
  [[nodiscard]] T unset() const { return in(Options()); }
};

/// Who decides what nobody asked for.
enum class Decided {
  by_default,  ///< nobody
  by_planner,  ///< a recipe has a value of its own: plans describe it, ranks compare it
  by_tuner     ///< besides, the tuner tries values, and wisdom keeps the fastest
};

/// `most` of a row that has no limit.
inline constexpr double any_number = std::numeric_limits<double>::max();

struct OptionEntry {
  OptionRow row;
  std::variant<OptionField<bool>, OptionField<int>, OptionField<double>, OptionField<std::string>,
               OptionField<std::vector<int>>, OptionField<Coord>, OptionField<Apply>, OptionField<SplitAxis>,
               OptionField<HugePages>, OptionField<Intermediate>, OptionField<NonTemporal>>
      field;
  Decided decided = Decided::by_default;

  [[nodiscard]] bool is_set(const Options& options) const;
  [[nodiscard]] std::string text(const Options& options) const;
  /// A choice of the planner: whether `tuning` leaves it open, and its text there.
  [[nodiscard]] bool is_open(const Tuning& tuning) const;
  [[nodiscard]] std::string text(const Tuning& tuning) const;
  void set(Tuning& tuning, std::string_view text) const;
  /// See set_option().
  void set(Options& options, std::string_view text, std::string_view caller) const;
  /// Which rule its value breaks: "must be from 0 to 256; got 257"; nothing if it keeps all.
  [[nodiscard]] std::optional<std::string> broken_rule(const Options& options) const;
};

[[nodiscard]] std::span<const OptionEntry> option_entries();
/// By the name of a row, its variable or its flag. Throws Error(invalid_argument).
[[nodiscard]] const OptionEntry& find_option(std::string_view name);

/// visit(row, field) of every choice that the tuner tries.
template <class Visit>
void for_each_tried(Visit visit) {
  for (const OptionEntry& entry : option_entries())
    if (entry.decided == Decided::by_tuner)
      std::visit([&](const auto& field) { visit(entry.row, field); }, entry.field);
}

/// The remedy for a value that breaks a rule: how the caller leaves out a variable, a flag or a field.
[[nodiscard]] std::string otherwise(std::string_view caller);

inline constexpr std::string_view apply_words[] = {"none", "to_outputs", "to_inputs"},
                                  split_words[] = {"automatic", "never", "always"},
                                  intermediate_words[] = {"automatic", "buffers", "output"},
                                  non_temporal_words[] = {"automatic", "none", "all", "synthesis"},
                                  huge_pages_words[] = {"automatic", "off", "on"};
using OptionWords = std::span<const std::string_view>;
[[nodiscard]] constexpr OptionWords words_of(Apply) { return apply_words; }
[[nodiscard]] constexpr OptionWords words_of(SplitAxis) { return split_words; }
[[nodiscard]] constexpr OptionWords words_of(Intermediate) { return intermediate_words; }
[[nodiscard]] constexpr OptionWords words_of(NonTemporal) { return non_temporal_words; }
[[nodiscard]] constexpr OptionWords words_of(HugePages) { return huge_pages_words; }

template <class T>
concept OptionWord = std::is_enum_v<T>;

/// Values as they are written in options.
[[nodiscard]] std::string option_word(bool value);
[[nodiscard]] std::string option_word(int value);
[[nodiscard]] std::string option_word(double value);
[[nodiscard]] std::string option_word(const std::string& value);
[[nodiscard]] std::string option_word(const Coord& value);
[[nodiscard]] std::string option_word(const std::vector<int>& value);
[[nodiscard]] std::string option_word(OptionWord auto value) {
  const OptionWords words = words_of(value);
  const auto at = static_cast<std::size_t>(value);
  return at < words.size() ? std::string(words[at]) : std::to_string(at);
}

/// The place of a word among those of a row, or of the number that stands for it: -1 is the first, if the row has
/// numbers. Nothing if it is neither.
[[nodiscard]] std::optional<int> place_of_word(const OptionRow& row, const std::string& text);

}  // namespace shardfft
