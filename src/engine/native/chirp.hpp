// What Bluestein's algorithm multiplies a long pencil with.
#pragma once

#include <memory>

#include "engine/native/halves.hpp"
#include "support/buffer.hpp"

namespace shardfft::native {

/// Large tables, in memory that no one has touched before.
template <class T>
class LongChirp {
 public:
  /// Of length n, for a convolution with these halves and vectors of so many lanes.
  LongChirp(Index n, const Halves& halves, Index lanes);

  /// exp(-i pi k^2 / n) for k < n, re, im pairs, and zeros behind them for two vectors.
  [[nodiscard]] const T* factors() const { return reinterpret_cast<const T*>(factors_.get()); }
  /// The transform of exp(+i pi k^2 / n), -n < k < n, wrapped around to the length of the halves and divided by it. For each group of lines of the sheet and each of their elements: all
  /// lanes' real parts, then all lanes' imaginary parts.
  [[nodiscard]] const T* filter() const { return reinterpret_cast<const T*>(filter_.get()); }

 private:
  Memory factors_{}, filter_{};
};

/// Kernels of the same length that live at the same time share one. Where there are vectors.
template <class T>
[[nodiscard]] std::shared_ptr<const LongChirp<T>> shared_chirp(Index n, const Halves& halves, Index lanes);

}  // namespace shardfft::native
