// Environment variables that shardfft reads.
#pragma once

#include <string>
#include <vector>

namespace shardfft {

/// Names of variables that are set, begin with SHARDFFT_ and are none that shardfft, its programs or its tests read.
[[nodiscard]] std::vector<std::string> strange_variables();

/// A line for each of these on stderr, once in a process. Call it on one rank. Returns those that it told of now.
std::vector<std::string> warn_of_strange_variables();

}  // namespace shardfft
