// A formula as the processor and devices run it.
#pragma once

#include <span>

#include "shardfft/operators/formula.hpp"
#include "support/formula/run_formula.hpp"

namespace shardfft {

/// Its steps and numbers, for so many arrays that are still to be named, and elements that are still to be counted.
/// Throws Error(invalid_argument) where it names others, Error(unsupported) where it is too long.
[[nodiscard]] RunFormula formula_steps(const Formula& formula, std::size_t arrays, std::span<const double> parameters);

}  // namespace shardfft
