// The free choices after options and environment had their say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shardfft/options.hpp"

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

/// A rule that a value breaks: "fuse", "is 1 or 2 axes in one sweep; got '0'", "-1 leaves it to the planner". Without a
/// remedy, that is to leave the option out.
struct Refusal {
  std::string option{}, rule{}, remedy{};
};
/// The first rule that these values break; nothing where they keep all. Who gave them is for the caller to say.
[[nodiscard]] std::optional<Refusal> broken_rule(const Options& options);

/// Whether anything may be lost.
[[nodiscard]] inline bool has_tolerance(const Options& o) {
  return o.tolerance > 0 || o.tolerance_absolute > 0 || o.tolerance_linf > 0;
}

/// Throws Error(invalid_argument) for values that make no sense, naming the option or the variable.
[[nodiscard]] Choices choose_from(const Options& options);

/// Everything that must be the same on all ranks, an option a line.
[[nodiscard]] std::string shared_text(const Options& options);

}  // namespace shardfft
