// Results for people.
#pragma once

#include <string>

#include "results.hpp"

namespace shardfft::compare {

/// One case: a line on what it is, a line on the machine's limit, a table with a row for each library and call, reasons
/// of those without times.
[[nodiscard]] std::string table_of(const CaseResult& result);

/// How far shardfft was from itself, where it took part twice: a line over all cases, or nothing.
[[nodiscard]] std::string noise_text(const Results& results);

/// "2 ranks x 1 thread"
[[nodiscard]] std::string workers_text(const Case& c);

}  // namespace shardfft::compare
