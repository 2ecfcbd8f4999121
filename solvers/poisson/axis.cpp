#include "poisson/axis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "shardfft/operators/elementary.hpp"

namespace shardfft::solvers {
namespace {

/// An axis of cells between given faces.
Axis stretched_axis(const PoissonProblem& problem, Ends ends) {
  Axis axis{.ends = ends};
  const std::vector<double>& face = problem.faces;
  const double length = face.back() - face.front();
  for (std::size_t i = 0; i + 1 < face.size(); ++i) {
    axis.places.push_back(face[i] + (face[i + 1] - face[i]) / 2);
    axis.weights.push_back((face[i + 1] - face[i]) / length);
  }
  const auto end = [&](Boundary boundary, double place, double width) {
    return AxisEnd{place, boundary == Boundary::odd ? 2 / (width * width) : 1 / width};
  };
  axis.low = end(ends.low, face.front(), face[1] - face[0]);
  axis.high = end(ends.high, face.back(), face.back() - face[face.size() - 2]);
  return axis;
}

/// Spacings from one end to the other.
double steps_of(AxisKind kind, Index n) {
  const auto steps = static_cast<double>(logical_length(kind, n));
  return kind == AxisKind::fourier ? steps : steps / 2;
}

/// The number of the first mode, in steps of a whole mode.
double first_mode(AxisKind kind) {
  using enum AxisKind;
  switch (kind) {
    case sine1:
    case sine2:
      return 1;
    case cosine3:
    case cosine4:
    case sine3:
    case sine4:
      return 0.5;
    default:
      return 0;
  }
}

// What the boundary condition adds at the point beside it (Schumann and Sweet, J. Comput. Phys. 75, 1988).
double end_factor(Boundary boundary, Points points, double h) {
  const bool cells = points == Points::cells;
  if (boundary == Boundary::odd) return (cells ? 2 : 1) / (h * h);
  return (cells ? 1 : 2) / h;
}

}  // namespace

Axis make_axis(const PoissonProblem& problem, int a) {
  const auto at = static_cast<std::size_t>(a);
  const Ends ends = problem.ends.empty() ? periodic : problem.ends[at];
  if (a == problem.stretched) return stretched_axis(problem, ends);
  const Index n = problem.shape[a];
  Axis axis{.ends = ends, .kind = kind_of(ends.low, ends.high, problem.points)};
  const double steps = steps_of(axis.kind, n);
  axis.spacing =
      !problem.spacing.empty() ? problem.spacing[at] : (problem.lengths.empty() ? 1 : problem.lengths[at]) / steps;
  const bool cells = problem.points == Points::cells;
  const double first = cells ? 0.5 : ends.low == Boundary::odd ? 1 : 0;
  for (Index i = 0; i < n; ++i) axis.places.push_back((static_cast<double>(i) + first) * axis.spacing);
  axis.weights.assign(static_cast<std::size_t>(n), 1 / steps);
  if (axis.kind == AxisKind::cosine1) axis.weights.front() = axis.weights.back() = 0.5 / steps;
  axis.low = {0, end_factor(ends.low, problem.points, axis.spacing)};
  axis.high = {steps * axis.spacing, end_factor(ends.high, problem.points, axis.spacing)};
  return axis;
}

std::vector<double> eigenvalues(const Axis& axis, Scheme scheme) {
  const auto n = static_cast<Index>(axis.places.size());
  const double h2 = axis.spacing * axis.spacing;
  std::vector<double> values;
  for (Index k = 0; k < n; ++k) {
    const double mode = axis.is_periodic() ? static_cast<double>(2 * std::min(k, n - k))
                                           : 2 * (static_cast<double>(k) + first_mode(axis.kind));
    const double theta = std::numbers::pi * mode / static_cast<double>(logical_length(axis.kind, n));
    const double sine = nearest_sin(theta / 2), s = sine * sine;
    switch (scheme) {
      case Scheme::second_order:
      case Scheme::compact:
        values.push_back(4 * s / h2);
        break;
      case Scheme::fourth_order:
        values.push_back(4 * s * (1 + s / 3) / h2);
        break;
      case Scheme::sixth_order:
        values.push_back(4 * s * (1 + s / 3 + 8 * s * s / 45) / h2);
        break;
      case Scheme::spectral:
        values.push_back(theta * theta / h2);
        break;
    }
  }
  return values;
}

}  // namespace shardfft::solvers
