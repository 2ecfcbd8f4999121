// The factors between the two halves of a split axis (grid/axis_split.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "engine/engine.hpp"

namespace shardfft {

/// Powers of exp(-2 pi i / n) for forward, of exp(+2 pi i / n) for backward: products of two from tables of about sqrt(n) each, whose bits depend on the exponent alone.
class Twiddles {
 public:
  Twiddles(Index n, Transform1d transform);

  /// Multiplies element k of pencils first .. first + count - 1 of a complex tile by the power number k * other, for the first of these pencils, (k * (other + step)) for the next and so on;
  /// step is 0 or 1. All powers are less than n.
  void multiply(Scalar scalar, const TileFormat& format, std::byte* tile, Index first, Index count, Index other, Index step) const;

  /// For the code of each instruction set. Power m is high[m >> shift] * low[m & (2^shift - 1)].
  struct Tables {
    const double *low_re, *low_im, *high_re, *high_im;
    int shift;
  };

 private:
  std::vector<double> low_re_{}, low_im_{}, high_re_{}, high_im_{};
  int shift_ = 0;
};

}  // namespace shardfft
