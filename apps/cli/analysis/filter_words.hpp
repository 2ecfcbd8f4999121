// What `filter` is asked, as an operator.
#pragma once

#include <string>

#include "analysis/units.hpp"
#include "options/command_line.hpp"
#include "output/costs.hpp"
#include "shardfft/operators/spectral.hpp"

namespace shardfft::cli {

struct FilterWords {
  std::string low_pass, high_pass, band, edge = "cosine", gaussian, derivative, shift, spacing;
  bool laplacian = false;
};
void add_filter_words(const Command& command, FilterWords& words);

/// What was asked of an array with so many axes, lengths in the unit of `spacing`. Throws Error(invalid_argument).
[[nodiscard]] Filter parse_filter(const FilterWords& words, const Spacing& spacing, int axes);

/// The cutoffs that there are, a line for each.
[[nodiscard]] std::string cutoffs_text(const Filter& filter, const Spacing& spacing);
/// Cutoffs and edge, for programs.
[[nodiscard]] Json cutoffs_json(const Filter& filter, const FilterWords& words, const Spacing& spacing);
/// "low-pass 10um, cosine": in one line what was asked.
[[nodiscard]] std::string filter_name(const FilterWords& words);

}  // namespace shardfft::cli
