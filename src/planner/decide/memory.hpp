// Chooses where the array lies between sweeps and how it is stored, by the sizes of the machine's caches.
#pragma once

#include "planner/decide/recipe.hpp"
#include "planner/model/model.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Bytes of the whole array as complex numbers.
[[nodiscard]] double bytes_of(const CheckedProblem& problem);
/// Needs engine, transports and encoding.
void choose_memory(Recipe& recipe, const Comm& comm);
/// Parts of an exchange by the first transport.
[[nodiscard]] int default_chunks(const Comm& comm, const Transport& first, const CheckedProblem& problem, bool encoded);
/// What the model computes with, for the choices made so far.
[[nodiscard]] Model model_of(const Recipe& recipe, const Comm& comm);

}  // namespace shardfft
