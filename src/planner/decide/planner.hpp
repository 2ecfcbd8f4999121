// From a problem to a recipe.
#pragma once

#include "planner/decide/recipe.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective. Throws the same Error on every rank when the problem or the options are wrong, or differ between ranks.
[[nodiscard]] Recipe make_recipe(const Comm& comm, const Problem& problem, const Options& options);

/// Makes the choices that are still open, by the model, and finds the stages. Needs problem, choices, machine and
/// threads. Not collective: the same on every rank. Throws Error.
void complete(Recipe& recipe, const Comm& comm);

/// How many ranks of this rank's node come before it: which device is its own.
[[nodiscard]] int rank_on_node(const Comm& comm);

/// Empty when `transport` can serve these ranks, whose arrays `holder` holds (nullptr: the host); else the reason, one
/// line for people. Local.
[[nodiscard]] std::string why_not(const Transport& transport, const Comm& comm, Device* holder);

/// What the model takes an exchange by `transport` for; empty on devices, whose ways it knows one by one.
[[nodiscard]] std::string priced_as(const Comm& comm, const Transport& transport);
/// Ranks whose memory this rank stores to directly when `transport` serves the plan.
[[nodiscard]] bool is_near(const Comm& comm, const Transport& transport, int peer);

}  // namespace shardfft
