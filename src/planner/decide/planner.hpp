// From a problem to a recipe.
#pragma once

#include "planner/decide/recipe.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective. Throws the same Error on every rank when the problem or the options are wrong, or differ between ranks.
/// `machine`: instead of rank 0's; nullptr: that.
[[nodiscard]] Recipe make_recipe(const Comm& comm, const Problem& problem, const Options& options,
                                 const Machine* machine = nullptr);

/// Makes the choices that are still open, by the model, and finds the stages. Needs problem, choices, machine and
/// threads. Not collective: the same on every rank. Throws Error.
void complete(Recipe& recipe, const Comm& comm);

/// All of a problem, a line for each field: ranks compare it.
[[nodiscard]] std::string lines_of(const Problem& problem);

}  // namespace shardfft
