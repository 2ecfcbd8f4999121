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
  std::vector<int> axes{};        ///< transformed, 0 <= axis < dims, as asked
  std::vector<AxisKind> kinds{};  ///< one for each of them
  int real_axis = -1;             ///< of r2c and c2r: the one with a half spectrum
  bool real = false;              ///< likewise: the space side holds real numbers, the spectrum complex ones
  Shape points{};                 ///< logical extents
  Coord support{}, modes{};       ///< of each axis of the array: points and modes that exist
  bool complex_space = true, complex_spectrum = true;  ///< elements are two scalars, of numbers or of bytes that move
  Shape space{}, spectrum{};                           ///< extents of the two sides' arrays
  Scalar scalar = Scalar::f64;

  /// Nothing is transformed.
  [[nodiscard]] bool moves() const { return asked.kind == Kind::move; }
  /// Some axis has fewer points or modes than its extent.
  [[nodiscard]] bool is_pruned() const;
  /// Elements of the largest complex array that the transform may go through.
  [[nodiscard]] double largest_array() const;
  [[nodiscard]] bool analysis_is_forward() const { return asked.kind != Kind::c2r; }
  [[nodiscard]] int dims() const { return space.dims(); }
  [[nodiscard]] Scaling scaling(bool forward) const { return forward ? asked.forward : asked.backward; }
  /// Bytes of an element of the spectrum, and of the arrays between sweeps.
  [[nodiscard]] double element_bytes() const { return bytes_of(complex_spectrum); }
  /// Bytes of an element of the space side.
  [[nodiscard]] double space_bytes() const { return bytes_of(complex_space); }
  /// The kind of a transformed axis.
  [[nodiscard]] AxisKind kind(int axis) const;
  [[nodiscard]] bool has_fourier_only() const;
  /// Factor on the result of forward or backward, of all axes together.
  [[nodiscard]] double scale(bool forward) const;
  /// The transform of one axis during analysis.
  [[nodiscard]] AxisTransform analysis(int axis) const;

 private:
  [[nodiscard]] double bytes_of(bool complex) const {
    return (complex ? 2.0 : 1.0) * static_cast<double>(size_of(scalar));
  }
};

/// Kinds, modes and support, spelled out. Throws Error(invalid_problem).
void check_axes(const Problem& problem, CheckedProblem& checked);

/// Throws Error(invalid_problem).
[[nodiscard]] CheckedProblem check(const Problem& problem);

}  // namespace shardfft
