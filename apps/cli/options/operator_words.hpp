// --apply OP: an operator in words, of a box whose lengths are 1.
#pragma once

#include <string>

#include "options/command_line.hpp"
#include "shardfft/operators/spectral.hpp"

namespace shardfft::cli {

void add_apply(const Command& command, std::string& words);
/// identity, shift:D, lowpass:F, gaussian:S, derivative:AXIS[:ORDER], inverse_laplace[:STENCIL]. Throws
/// Error(invalid_argument).
[[nodiscard]] Operator parse_operator(const std::string& words, const Plan& plan);

}  // namespace shardfft::cli
