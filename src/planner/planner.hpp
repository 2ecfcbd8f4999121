// From a problem to a recipe.
#pragma once

#include "planner/recipe.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective. Throws the same Error on every rank when the problem or the options are wrong, or differ between ranks.
[[nodiscard]] Recipe make_recipe(const Comm& comm, const Problem& problem, const Options& options);

/// Ranks whose memory this rank stores to directly when `transport` serves the plan.
[[nodiscard]] bool is_near(const Comm& comm, const Transport& transport, int peer);

}  // namespace shardfft
