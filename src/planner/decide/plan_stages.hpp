// The stages of a recipe: its axes in order, on layouts that a shortest path finds.
#pragma once

#include "planner/decide/recipe.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Fills in the caller's two layouts, sides, stages both ways, what memory they go through, and the expected time.
void plan_stages(Recipe& recipe, const Comm& comm);

}  // namespace shardfft
