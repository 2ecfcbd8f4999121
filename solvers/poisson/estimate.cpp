#include "poisson/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "shardfft/elements.hpp"
#include "shardfft/exact_sum.hpp"

namespace shardfft::solvers {
namespace {

/// Squared norms of f, of u, of what differences make of u, and of u in two bands of high modes.
struct Norms {
  ExactSum f, u, difference, lower, upper;
};

/// Factors of one mode, from the tables of its axes.
class Factors {
 public:
  Factors(const std::vector<Axis>& axes, const ModeTables& tables) : tables_(tables) {
    for (const Axis& axis : axes) {
      exact_.push_back(eigenvalues(axis, Scheme::spectral));
      heights_.push_back(exact_.back());
      for (double& x : heights_.back()) x = std::sqrt(x) * axis.spacing / std::numbers::pi;
    }
  }
  void add(const Coord& k, double square, Norms& norms) const {
    double l = 0, b = 0, lb = 0, exact = tables_.shift, height = 0;
    for (int axis = 0; axis < k.dims(); ++axis) {
      const auto a = static_cast<std::size_t>(axis), i = static_cast<std::size_t>(k[axis]);
      l += tables_.l[a][i], b += tables_.b[a][i], lb += tables_.l[a][i] * tables_.b[a][i];
      exact += exact_[a][i];
      height = std::max(height, heights_[a][i]);
    }
    const double discrete = ModeTables::factor(l, b, lb, tables_.shift), right = exact == 0 ? 0 : 1 / exact;
    norms.f.add(square);
    norms.u.add(square * right * right);
    norms.difference.add(square * (discrete - right) * (discrete - right));
    if (height > 0.4 && height <= 0.7) norms.lower.add(square * right * right);
    if (height > 0.7) norms.upper.add(square * right * right);
  }

 private:
  const ModeTables& tables_;
  std::vector<std::vector<double>> exact_{}, heights_{};  ///< eigenvalues; how near a mode is to the highest
};

template <class T>
void add_all(const Plan& plan, const Array& modes, bool complex, const Factors& factors, Norms& norms) {
  const auto x = modes.as<T>();
  for_each_element(plan.output(), plan.comm().rank(), [&](const Coord& k, std::size_t i) {
    const double re = x[complex ? 2 * i : i], im = complex ? static_cast<double>(x[2 * i + 1]) : 0.0;
    factors.add(k, re * re + im * im, norms);
  });
}

}  // namespace

// Modes beyond the grid go on to fall as they did from band to band: a band is as large as its lowest modes, at 0.4 and
// 0.7 of the grid's highest.
PoissonEstimate estimate_error(const ModesRun& transforms, const Array& modes, const std::vector<Axis>& axes,
                               const ModeTables& tables, double amplification) {
  const Plan& plan = transforms.plan();
  const Factors factors(axes, tables);
  Norms norms;
  if (plan.problem().precision == f32)
    add_all<float>(plan, modes, transforms.is_complex(), factors, norms);
  else
    add_all<double>(plan, modes, transforms.is_complex(), factors, norms);
  const auto norm = [&](const ExactSum& squares) { return std::sqrt(squares.value(plan.comm())); };
  const double f = norm(norms.f), u = norm(norms.u), lower = norm(norms.lower), upper = norm(norms.upper);
  const double difference = norm(norms.difference);
  if (u == 0 || !std::isfinite(u)) return {};
  const double fall = lower > upper ? upper / lower : 1;
  const double unit = plan.problem().precision == f32 ? 0x1p-24 : 0x1p-53;
  const double error = std::max((difference + upper * fall) / u, unit);
  return {error, std::min(error / (2 * amplification * f / u), 0.1)};
}

}  // namespace shardfft::solvers
