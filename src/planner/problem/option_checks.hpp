// Options that a problem cannot have.
#pragma once

#include "planner/problem/problem.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

/// Before anything is computed from them. Throws Error, the same on every rank.
void check_options(const CheckedProblem& problem, const Options& options, int ranks);

}  // namespace shardfft
