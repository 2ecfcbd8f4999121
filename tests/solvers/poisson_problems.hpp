// Problems with known solutions, for tests of solvers of Poisson's equation.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "shardfft/elements.hpp"
#include "shardfft/solvers/known_solution.hpp"

namespace shardfft::solvers {

inline const Ends all_ends[] = {periodic, neumann, dirichlet, dirichlet_neumann, neumann_dirichlet};

struct Solved {
  std::vector<double> f{}, u{}, exact{};  ///< of this rank
  PoissonReport report{};
};

inline Solved solve_known(const Comm& comm, const PoissonProblem& problem, const Options& options = {.threads = 1}) {
  Poisson poisson(comm, problem, options);
  const KnownSolution known(problem);
  Solved run;
  const auto n = static_cast<std::size_t>(poisson.layout().count(comm.rank()));
  run.f.resize(n), run.u.resize(n), run.exact.resize(n);
  for_each_element(poisson.layout(), comm.rank(), [&](const Coord& at, std::size_t i) {
    run.f[i] = known.f(poisson.position(at));
    run.exact[i] = known.u(poisson.position(at));
  });
  run.report = poisson.solve(run.f, run.u);
  return run;
}

// A stored node at an even end counts half.
inline double weight_of(const PoissonProblem& problem, const Coord& at) {
  double weight = 1;
  for (int a = 0; a < at.dims(); ++a) {
    const Ends ends = problem.ends[static_cast<std::size_t>(a)];
    const bool half =
        problem.points == Points::nodes &&
        ((at[a] == 0 && ends.low == Boundary::even) || (at[a] + 1 == problem.shape[a] && ends.high == Boundary::even));
    weight *= half ? 0.5 : 1;
  }
  return weight;
}

inline double mean_of(const PoissonProblem& problem, const std::vector<double>& x) {
  double sum = 0, weights = 0;
  for_each_element(Layout(slabs(0), problem.shape, 1), 0, [&](const Coord& at, std::size_t i) {
    sum += weight_of(problem, at) * x[i];
    weights += weight_of(problem, at);
  });
  return sum / weights;
}

/// Relative L2 error; where a constant may be added, the mean of the exact solution is made zero as the solver's.
inline double error_of(const PoissonProblem& problem, const Solved& run) {
  const double shift = run.report.gauge ? mean_of(problem, run.exact) : 0;
  double error = 0, size = 0;
  for (std::size_t i = 0; i < run.u.size(); ++i) {
    error += (run.u[i] - run.exact[i] + shift) * (run.u[i] - run.exact[i] + shift);
    size += run.exact[i] * run.exact[i];
  }
  return std::sqrt(error / size);
}

/// Points along an axis that make the spacing 1/intervals.
inline Index points_for(Ends ends, Points points, Index intervals) {
  if (points == Points::cells || ends.low == Boundary::periodic || ends.low != ends.high) return intervals;
  return ends.low == Boundary::even ? intervals + 1 : intervals - 1;
}

inline PoissonProblem box(const std::vector<Ends>& ends, Points points, Index intervals, Scheme scheme,
                          double shift = 0) {
  PoissonProblem problem{.ends = ends, .points = points, .scheme = scheme, .shift = shift, .project = true};
  std::vector<Index> shape;
  for (const Ends one : ends) {
    shape.push_back(points_for(one, points, intervals));
    problem.lengths.push_back(1 + 0.25 * static_cast<double>(shape.size() - 1));
  }
  problem.shape = shape;
  return problem;
}

/// Three axes, with every pair of ends in every place.
inline std::vector<std::vector<Ends>> mixes() {
  std::vector<std::vector<Ends>> all;
  for (std::size_t i = 0; i < 5; ++i) all.push_back({all_ends[i], all_ends[(i + 1) % 5], all_ends[(i + 2) % 5]});
  for (const Ends ends : all_ends) all.push_back({ends, ends, ends});
  return all;
}

inline std::string name_of(const std::vector<Ends>& ends, Points points) {
  std::string text = points == Points::cells ? "cells" : "nodes";
  for (const Ends one : ends) text += fmt::format(" {}{}", static_cast<int>(one.low), static_cast<int>(one.high));
  return text;
}

/// Element `i` of an axis that goes on beyond its ends as they say.
struct Continued {
  Index place = 0;
  double sign = 1;
};
inline Continued continued(Index i, Index n, Ends ends, Points points) {
  if (ends.low == Boundary::periodic) return {(i % n + n) % n, 1};
  double sign = 1;
  const bool cells = points == Points::cells;
  while (i < 0 || i >= n) {
    const Boundary end = i < 0 ? ends.low : ends.high;
    const bool odd = end == Boundary::odd;
    // Twice the mirror's place: the end lies at -1/2 of cells, and of nodes at -1 (odd) or 0 (even).
    const Index beyond = cells ? 1 : odd ? 2 : 0;
    if (!cells && odd && (i == -1 || i == n)) return {0, 0};
    i = i < 0 ? -beyond - i : 2 * (n - 1) + beyond - i;
    if (odd) sign = -sign;
  }
  return {i, sign};
}

}  // namespace shardfft::solvers
