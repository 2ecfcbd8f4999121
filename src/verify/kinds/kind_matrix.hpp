// Matrices of cosine, sine and Hartley transforms in double-double.
#pragma once

#include "shardfft/problem.hpp"
#include "verify/roots.hpp"
#include "verify/weights.hpp"

namespace shardfft {

/// Entry (k, j), by which input j enters output k, is in(j) out(k) times the cosine, the sine, or the sum of both, of
/// a(j) b(k) / period turns, where a and b grow evenly. Weights `in` are 2, but 1 at even ends; `out` are 1.
class KindMatrix {
 public:
  KindMatrix(AxisKind kind, Index n, bool orthonormal);

  /// The fraction is reduced in integers. Error below 2^-95.
  [[nodiscard]] DoubleDouble entry(Index k, Index j) const { return in(j) * (out(k) * wave(k, j)); }
  /// sum over k of r_k entry(k, j), for every j and lane. Takes 8 tables of r.
  [[nodiscard]] Quads transposed(const Quads& r) const;

 private:
  friend class TransposedKind;
  [[nodiscard]] DoubleDouble in(Index j) const;
  [[nodiscard]] DoubleDouble out(Index k) const;
  [[nodiscard]] DoubleDouble wave(Index k, Index j) const;
  [[nodiscard]] Index at_input(Index j) const { return a_first_ + a_step_ * j; }
  [[nodiscard]] Index at_output(Index k) const { return b_first_ + b_step_ * k; }
  /// From the sums of r_k exp(+-2 pi i a b / period).
  [[nodiscard]] ComplexDD combined(const ComplexDD& plus, const ComplexDD& minus) const;

  AxisKind kind_;
  Index n_, period_;
  Index a_first_ = 0, a_step_ = 1, b_first_ = 0, b_step_ = 1;
  bool sine_, orthonormal_;
  DoubleDouble root2_;
  RootTable roots_;
};

/// Its rows at `positions`, a lane each.
[[nodiscard]] std::unique_ptr<AxisWeights> row_weights(const KindMatrix& matrix, Index n,
                                                       const std::vector<Index>& positions, int lanes);
/// KindMatrix::transposed() for digits: nothing is as long as the axis.
[[nodiscard]] std::unique_ptr<AxisWeights> transposed_weights(const KindMatrix& matrix, const DigitTables& digits);

}  // namespace shardfft
