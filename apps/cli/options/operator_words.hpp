// --apply OP: an operator in words, and the box in which it acts.
#pragma once

#include <string>

#include "options/command_line.hpp"
#include "output/costs.hpp"
#include "shardfft/operators/spectral.hpp"

namespace shardfft::cli {

/// Lengths of the box along each axis, or the spacing of its points.
struct BoxWords {
  std::string lengths{}, spacing{};
};

void add_apply(const Command& command, std::string& words, BoxWords& box);
/// {"lengths": [...]} or {"spacing": [...]} along each of `dims` axes.
[[nodiscard]] Json box_json(const BoxWords& box, int dims);
/// Throws Error(invalid_argument) for a box without an operator.
void require_apply(const std::string& words, const BoxWords& box);
/// identity, shift:D, lowpass:F, gaussian:S, derivative:AXIS[:ORDER], inverse_laplace[:STENCIL]. Throws
/// Error(invalid_argument).
[[nodiscard]] Operator parse_operator(const std::string& words, const BoxWords& box, const Plan& plan);

}  // namespace shardfft::cli
