// Plans that want to be measured.
#pragma once

#include "shardfft/comm.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// Collective. Where the options or the environment ask for effort measure or exhaustive and wisdom has nothing as
/// good, tunes. Returns the options with which the plan is to be made.
[[nodiscard]] Options tuned_first(const Comm& comm, const Problem& problem, const Options& options);

}  // namespace shardfft
