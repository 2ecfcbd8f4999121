// Functions that satisfy given ends and whose Laplacian is known: to see what a solver's error is.
#pragma once

#include <vector>

#include "shardfft/solvers/poisson.hpp"

namespace shardfft::solvers {

/// u(x) = g(x) g(y) g(z). Along each axis g is exp(0.3 cos) of a whole period, or of half of one between the ends,
/// times a sine or cosine that is zero at the odd ends. It goes on as smoothly beyond the ends, so every scheme shows
/// its order.
class KnownSolution {
 public:
  /// A solution on the box of a problem: its lengths or spacing, ends and shift.
  explicit KnownSolution(const PoissonProblem& problem);

  [[nodiscard]] double u(const Position& x) const;
  /// shift u - laplacian(u)
  [[nodiscard]] double f(const Position& x) const;

 private:
  struct Factor {
    double low = 0, length = 1;
    Ends ends{};
  };
  std::vector<Factor> factors_{};
  double shift_ = 0;
};

}  // namespace shardfft::solvers
