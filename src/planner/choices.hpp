// The free choices after options and environment had their say.
#pragma once

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

/// Throws Error(invalid_argument) for values that make no sense, naming the option or the variable.
[[nodiscard]] Choices choose_from(const Options& options);

/// Everything that must be the same on all ranks, as text.
[[nodiscard]] std::string shared_text(const Options& options);

}  // namespace shardfft
