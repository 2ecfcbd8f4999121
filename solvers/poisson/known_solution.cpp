#include "shardfft/solvers/known_solution.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "poisson/axis.hpp"

namespace shardfft::solvers {
namespace {

/// A function and its second derivative.
struct Value {
  double g = 0, second = 0;
};

// g = b exp(c): g'' = (b'' + 2 b' c' + b c'' + b c'^2) exp(c)
Value value_of(double x, double length, Ends ends) {
  const bool whole = ends.low == Boundary::periodic, low_odd = ends.low == Boundary::odd,
             high_odd = ends.high == Boundary::odd;
  const double k = (whole ? 2 : 1) * std::numbers::pi / length, phase = whole ? 0.4 : 0;
  const double c = 0.3 * std::cos(k * x + phase), c1 = -0.3 * k * std::sin(k * x + phase), c2 = -k * k * c;
  double b = 1, b1 = 0, b2 = 0;
  if (low_odd || high_odd) {
    const double j = (low_odd && high_odd ? 1 : 0.5) * std::numbers::pi / length;
    b = low_odd ? std::sin(j * x) : std::cos(j * x);
    b1 = low_odd ? j * std::cos(j * x) : -j * std::sin(j * x);
    b2 = -j * j * b;
  }
  return {b * std::exp(c), (b2 + 2 * b1 * c1 + b * c2 + b * c1 * c1) * std::exp(c)};
}

}  // namespace

KnownSolution::KnownSolution(const PoissonProblem& problem) : shift_(problem.shift) {
  check(problem);
  for (int a = 0; a < problem.shape.dims(); ++a) {
    const Axis axis = make_axis(problem, a);
    factors_.push_back({axis.low.place, axis.high.place - axis.low.place, axis.ends});
  }
}

double KnownSolution::u(const Position& x) const {
  double product = 1;
  for (std::size_t a = 0; a < factors_.size(); ++a)
    product *= value_of(x[a] - factors_[a].low, factors_[a].length, factors_[a].ends).g;
  return product;
}

double KnownSolution::f(const Position& x) const {
  double product = 1, laplacian = 0;  // of the axes so far
  for (std::size_t a = 0; a < factors_.size(); ++a) {
    const Value v = value_of(x[a] - factors_[a].low, factors_[a].length, factors_[a].ends);
    laplacian = laplacian * v.g + product * v.second;
    product *= v.g;
  }
  return shift_ * product - laplacian;
}

}  // namespace shardfft::solvers
