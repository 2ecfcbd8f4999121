// Values of one short trigonometric sum at any of very many points, in double-double, a few operations each.
#pragma once

#include "verify/quads.hpp"

namespace shardfft {

/// s(j) = sum over k < K of c_k e^(2 pi i sign k j step / n), for every lane, j = 0, 1, 2, ...
/// Around each of M points of the circle it is a Taylor polynomial. Its coefficients are transforms of c_k (2 pi i sign
/// k h)^o / o!, of length M >= 16 K; all positions are integers, so that a point's distance from the next of the M is
/// exact. Where few different points occur, a table of them is kept instead.
///   memory  about 70 kB per coefficient and eight lanes; 256 bytes per point where a table is kept
///   error   below 2^-88 of the root mean square of |s|
class TurningSum {
 public:
  /// n < 2^52; 0 <= step < n; no more coefficients than different points.
  TurningSum(const Quads& coefficients, Index n, Index step, int sign);

  [[nodiscard]] int lanes() const { return terms_.lanes; }
  /// out[i] = s(first + i)
  void values(Index first, Index count, double* out) const { evaluate(first, count, false, out); }
  /// out[i] *= s(first + i)
  void multiply(Index first, Index count, double* out) const { evaluate(first, count, true, out); }
  /// Entries of the table for `count` coefficients; four times as many where it is made by a convolution, which takes
  /// that much more.
  [[nodiscard]] static Index entries(Index count, Index n, Index step);

 private:
  void evaluate(Index first, Index count, bool times, double* out) const;

  Index points_, step_;           ///< of the circle: s depends on j * step_ mod points_
  Index cells_, orders_;          ///< Taylor polynomials, and terms of each
  Index cells_on_, distance_on_;  ///< from one position to the next
  double unit_ = 1;               ///< of distances, a power of two
  Quads terms_{};                 ///< term o of cell c at c * orders_ + o
};

}  // namespace shardfft
