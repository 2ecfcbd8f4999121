// The free choices after options and environment had their say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shardfft/problem.hpp"

namespace shardfft {

/// A choice and who made it: "option", "SHARDFFT_ENGINE" or "model".
struct Choice {
  std::string name{}, value{}, origin{};
};

/// Options with the environment filled in. Fields that nobody set keep their "planner chooses" value.
struct Choices {
  Options options{};
  std::vector<Choice> made{};

  /// Who set it; "model" when nobody did.
  [[nodiscard]] std::string origin(const std::string& name) const;
};

/// What the numbers among the options may be, ends included.
struct NumberRange {
  int least = 0, most = 0;
};
struct NumberRanges {
  NumberRange threads{0, 1 << 16}, chunks{0, 64}, tile{0, 256}, fuse{-1, 2}, split{-1, 1}, non_temporal{-1, 2},
      huge_pages{-1, 1};
};
[[nodiscard]] NumberRanges number_ranges(const std::string& device);

/// A rule that a value breaks: "tile", "lies between 0 and 256, got 257", "0 leaves it to the planner".
struct Refusal {
  std::string option{}, rule{}, remedy{};
};
/// The first rule that these values break; nothing where they keep all. Who gave them is for the caller to say.
[[nodiscard]] std::optional<Refusal> broken_rule(const Options& options);

/// Throws Error(invalid_argument) for values that make no sense, naming the option or the variable.
[[nodiscard]] Choices choose_from(const Options& options);

/// Everything that must be the same on all ranks, an option a line.
[[nodiscard]] std::string shared_text(const Options& options);

}  // namespace shardfft
