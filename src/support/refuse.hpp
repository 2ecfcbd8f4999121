// The two errors that callers cause most.
#pragma once

#include <string>

#include "shardfft/error.hpp"

namespace shardfft {

/// Throws. `text`: the rule, what came, the remedy.
[[noreturn]] inline void refuse_problem(const std::string& text) { throw Error(Status::invalid_problem, text); }
[[noreturn]] inline void refuse_argument(const std::string& text) { throw Error(Status::invalid_argument, text); }

}  // namespace shardfft
