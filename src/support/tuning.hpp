// How a plan is run: one value for all choices, from options to sweeps.
#pragma once

#include "shardfft/options.hpp"

namespace shardfft {

/// The choices of a plan. Each field has the words and numbers of its option. Options leave fields open, a recipe fills
/// them in, and each layer below narrows them to what it does: a pipeline to its direction, a sweep to its lines. A
/// field stays open only where nothing is to be chosen: `streams` on the host, or `decomposition` and `ranks_grid`
/// where the model's path goes through several.
struct Tuning : ExpertOptions {
  int threads = 1;  ///< of this rank; 0 in a candidate of the tuner: all that the rank has
};

}  // namespace shardfft
