// 1-D Fourier transforms in double-double, of any length, for all lanes of a table at once.
#pragma once

#include <vector>

#include "verify/quads.hpp"

namespace shardfft {

/// X_j = sum over k of x_k e^(2 pi i sign jk/n), in O(n log n): mixed radix for prime factors up to 31, Bluestein for
/// others. Relative L2 error below 2^-90 for n up to 2^40. Takes 32 n bytes for the roots and, for Bluestein, up to six
/// times the table.
class ExactDft {
 public:
  ExactDft(Index n, int sign);

  [[nodiscard]] Index length() const { return n_; }
  /// Whether n needs no convolution: that takes about eight tables of its length instead of two, and as many times as
  /// long.
  [[nodiscard]] static bool is_shared_segment(Index n);
  /// Transforms every lane of the first n entries of `x` (in natural order), giving natural order.
  [[nodiscard]] Quads operator()(const Quads& x) const;

 private:
  [[nodiscard]] Index slot(Index k) const;  ///< where the in-place butterflies want x_k
  [[nodiscard]] Quads mixed_radix(const Quads& x) const;
  [[nodiscard]] Quads bluestein(const Quads& x) const;

  Index n_;
  std::vector<int> factors_{};      ///< empty when Bluestein is used
  std::vector<ComplexDD> roots_{};  ///< of n; for Bluestein of 2n
};

}  // namespace shardfft
