// The factors between the two halves of a split axis (grid/axis_split.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "engine/engine.hpp"

namespace shardfft {

/// Powers of exp(-2 pi i / n) for forward, of exp(+2 pi i / n) for backward. Power k * y, of element k of a pencil with
/// the index y along the other half, is the product of power 16 k floor(y / 16), itself a product of two from tables of
/// about sqrt(n) each, and of power k (y mod 16), which lies beside those of the pencil's neighbours. So its bits
/// depend on k and y alone.
class Twiddles {
 public:
  /// For sweeps that never run.
  Twiddles() = default;
  /// For pencils of `length` elements.
  Twiddles(Index n, Index length, Transform1d transform);

  /// Multiplies element k of pencils first .. first + count - 1 of a complex tile by the power number k * other, for
  /// the first of these pencils, (k * (other + step)) for the next and so on; step is 0 or 1, or more where the other
  /// half is ordered by owner. All powers are less than n.
  void multiply(Scalar scalar, const TileFormat& format, std::byte* tile, Index first, Index count, Index other,
                Index step) const;
  /// Multiplies pencils in memory, with the same bits. Element k of pencil v lies k * step_k + v * step_v complex
  /// numbers behind `first`; its factor is the power number k * (other + v).
  void multiply(Scalar scalar, std::byte* first, Index step_k, Index step_v, Index count, Index other) const;

  static constexpr Index fine = 16;
  /// Bytes of the tables of such an object.
  [[nodiscard]] static Index table_bytes(Index n, Index length);
  /// For the code of each instruction set. Power m is high[m >> shift] * low[m & (2^shift - 1)]; power k * r is
  /// fine[fine * k + r].
  struct Tables {
    const double *low_re, *low_im, *high_re, *high_im, *fine_re, *fine_im;
    int shift;
  };

 private:
  [[nodiscard]] Tables tables() const {
    return {low_re_.data(), low_im_.data(), high_re_.data(), high_im_.data(), fine_re_.data(), fine_im_.data(), shift_};
  }

  std::vector<double> low_re_{}, low_im_{}, high_re_{}, high_im_{}, fine_re_{}, fine_im_{};
  int shift_ = 0;
  Index length_ = 0;
};

}  // namespace shardfft
