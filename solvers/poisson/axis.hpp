// One axis of a box: where its points are, and which numbers its second difference has.
#pragma once

#include <vector>

#include "shardfft/solvers/poisson.hpp"

namespace shardfft::solvers {

/// What an end adds to the right-hand side: `factor` times the value or slope there.
struct AxisEnd {
  double place = 0, factor = 0;
};

struct Axis {
  Ends ends{};
  AxisKind kind = AxisKind::fourier;
  double spacing = 1;
  std::vector<double> places{};
  std::vector<double> weights{};  ///< of a mean over the points; their sum is 1
  AxisEnd low{}, high{};

  [[nodiscard]] bool is_periodic() const { return ends.low == Boundary::periodic; }
  /// A constant has no second derivative and fits the ends.
  [[nodiscard]] bool has_constants() const { return ends.low != Boundary::odd && ends.high != Boundary::odd; }
};

/// Axis `a` of a checked problem.
[[nodiscard]] Axis make_axis(const PoissonProblem& problem, int a);

/// Throws Error(invalid_argument or invalid_problem) for a problem that makes no sense.
void check(const PoissonProblem& problem);

/// Eigenvalues of minus the second derivative of `scheme`, by mode. The compact scheme gets those of second order.
[[nodiscard]] std::vector<double> eigenvalues(const Axis& axis, Scheme scheme);

}  // namespace shardfft::solvers
