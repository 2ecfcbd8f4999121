// The equation on modes: what each of them is multiplied with.
#pragma once

#include <vector>

#include "poisson/axis.hpp"
#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::solvers {

/// By axis and index of the mode, tables of l, minus the second difference, and b = h^2 l / 12 of the compact scheme,
/// else 0. Sums over the axes are meant by capital letters:
///   compact (1 - B)(L + shift) + sum l b,  right-hand side times 1 - B
/// is (Collatz, The Numerical Treatment of Differential Equations, 1960) Mehrstellen for any spacings, of order 4.
struct ModeTables {
  std::vector<std::vector<double>> l{}, b{};
  double shift = 0;

  /// Tables of axes that are not transformed are zero.
  ModeTables(const std::vector<Axis>& axes, const PoissonProblem& problem);

  /// u / f. Zero where the equation says nothing of this mode.
  [[nodiscard]] static double factor(double sum_l, double sum_b, double sum_lb, double shift) {
    const double right = 1 - sum_b, left = right * (sum_l + shift) + sum_lb;
    return left == 0 ? 0 : right / left;
  }
  /// The largest of all modes.
  [[nodiscard]] double largest() const;
};

/// Multiplies modes of an array, real or complex, with their factors.
[[nodiscard]] Operator inverse_operator(const ModeTables& tables, Precision precision);
/// inverse_operator() as a formula, for a plan whose arrays are on a device.
[[nodiscard]] Operator inverse_formula(const ModeTables& tables, const Plan& plan);

}  // namespace shardfft::solvers
