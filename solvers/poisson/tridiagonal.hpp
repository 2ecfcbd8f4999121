// One axis that is solved along: every mode of the others has a tridiagonal matrix of its own.
#pragma once

#include <vector>

#include "poisson/inverse.hpp"

namespace shardfft::solvers {

class Tridiagonal {
 public:
  /// `tables`: of the transformed axes. `singular`: the matrix of mode 0 of them has a constant null vector.
  Tridiagonal(const PoissonProblem& problem, const Axis& axis, ModeTables tables, bool singular);

  /// A layout in which every rank has whole pencils, and neighbours in memory are neighbouring pencils.
  [[nodiscard]] LayoutSpec layout() const;
  /// Solves in place on this rank's part of the modes. Pencils do not depend on each other.
  void solve(const Layout& layout, int rank, Precision precision, bool complex, std::byte* modes, int threads) const;

 private:
  template <class T>
  void solve_box(const Box& box, int parts, T* modes, int threads) const;
  template <class T>
  void solve_lanes(T* modes, Index stride, const double* shifts, Index count, double* ratio, double* y) const;
  [[nodiscard]] std::vector<double> solve_singular(std::vector<double> f) const;
  [[nodiscard]] std::vector<double> shifts_of(const Box& box, int parts) const;
  [[nodiscard]] bool holds_singular(const Box& box) const;

  int axis_, dims_;
  Axis points_;
  ModeTables tables_;
  bool singular_;
  std::vector<double> lower_{}, diagonal_{}, upper_{};
};

}  // namespace shardfft::solvers
