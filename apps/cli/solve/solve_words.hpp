// What `solve` is asked, as a problem for a solver.
#pragma once

#include <string>
#include <vector>

#include "options/plan_options.hpp"
#include "shardfft/solvers/poisson.hpp"

namespace shardfft::cli {

struct SolveWords {
  std::string equation;  ///< "poisson" or "helmholtz"
  std::string in, out, boundary = "periodic", points = "cells", order = "2", lengths, spacing, values, stretched;
  std::string faces = "tanh:1.5", shape, precision, tolerance, json;
  double shift = 0, compatible = 0;
  bool project = false, manufactured = false, quiet = false;
  bool tolerance_auto = false;  ///< --tolerance auto: as the differences deserve
  ChoiceWords choices{};
};

void add_problem(const Command& command, SolveWords& words);

/// Whether it has no boundaries.
[[nodiscard]] bool is_open(const SolveWords& words);
/// The problem without shape, precision and faces. Throws Error(invalid_argument).
[[nodiscard]] solvers::PoissonProblem to_problem(const SolveWords& words, int axes);

/// Faces that --faces tanh:B means: denser at both ends, the more the larger B is. Throws Error(invalid_argument).
[[nodiscard]] std::vector<double> tanh_faces(const std::string& text, Index cells, double length);

}  // namespace shardfft::cli
