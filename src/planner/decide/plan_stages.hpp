// The stages of a recipe: its axes in order, on layouts that a shortest path finds.
#pragma once

#include "planner/decide/decompose.hpp"
#include "planner/decide/recipe.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Fills in the caller's two layouts, sides, stages both ways, what memory they go through, and the expected time.
void plan_stages(Recipe& recipe, const Comm& comm);

/// The steps of analysis in turn and what each should take on a device; together as long as the path was found to be.
[[nodiscard]] std::vector<ExpectedStep> expected_steps(const Decomposition& path, const DeviceCosts& costs,
                                                       const CheckedProblem& problem);

}  // namespace shardfft
