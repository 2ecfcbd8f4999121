// A problem, checked and spelled out. Plans look at every transform from its space side: complex or real numbers become
// a spectrum ("analysis", exponent -1) and come back ("synthesis", exponent +1). For c2c and r2c, forward is analysis;
// for c2r it is synthesis.
#pragma once

#include "engine/engine.hpp"
#include "pipeline/route/stages.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

struct CheckedProblem {
  Problem asked{};
  std::vector<int> axes{};  ///< transformed, 0 <= axis < dims, as asked; for real kinds the last is the real axis
  bool real = false;        ///< the space side holds real numbers
  bool complex_space = true, complex_spectrum = true;  ///< elements are two scalars, of numbers or of bytes that move
  Shape space{}, spectrum{};                           ///< extents of the two sides
  Scalar scalar = Scalar::f64;

  /// Nothing is transformed.
  [[nodiscard]] bool moves() const { return asked.kind == Kind::move; }
  [[nodiscard]] bool analysis_is_forward() const { return asked.kind != Kind::c2r; }
  [[nodiscard]] int dims() const { return space.dims(); }
  [[nodiscard]] Scaling scaling(bool forward) const { return forward ? asked.forward : asked.backward; }
  /// Factor on the result of forward or backward, of all axes together.
  [[nodiscard]] double scale(bool forward) const;
  /// The transform of one axis during analysis.
  [[nodiscard]] StageAxis analysis(int axis) const;
};

/// Throws Error(invalid_problem).
[[nodiscard]] CheckedProblem check(const Problem& problem);

}  // namespace shardfft
