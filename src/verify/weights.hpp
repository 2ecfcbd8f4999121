// Weights along one axis, for all functionals side by side: looked up where the axis is short, made where they are
// needed where it is long.
#pragma once

#include <memory>

#include "verify/quads.hpp"

namespace shardfft {

/// Memory for weights that are made, and made again.
class Workspace {
 public:
  /// At least `count` numbers, of no value.
  [[nodiscard]] double* of(std::size_t count) {
    if (count > count_) numbers_ = std::make_unique_for_overwrite<double[]>(count_ = count);
    return numbers_.get();
  }

 private:
  std::unique_ptr<double[]> numbers_{};
  std::size_t count_ = 0;
};

/// One complex number per position and lane. Only tables much shorter than the axis are kept.
class AxisWeights {
 public:
  virtual ~AxisWeights() = default;
  [[nodiscard]] virtual int lanes() const = 0;
  /// Quads of positions [first, first + count), one after the other: where they are kept, or made in `workspace`. Any
  /// number of threads at a time.
  [[nodiscard]] virtual const double* quads(Index first, Index count, Workspace& workspace) const = 0;
};

/// Axes of more positions than this have no table of their own: it would take 256 bytes per position, and three times
/// that while it is made.
inline constexpr Index longest_table = 1 << 16;

/// The table as it is. `half_of`: when not 0, position k also stands for its mirror image in a spectrum of that length:
/// the weight times multiplicity(k, half_of).
[[nodiscard]] std::unique_ptr<AxisWeights> kept_weights(Quads table, Index half_of = 0);

/// Position k has low[k % base] * high[k / base], where `base` is low.count(): two short tables for a long axis.
struct DigitTables {
  Quads low{}, high{};
};
[[nodiscard]] std::unique_ptr<AxisWeights> digit_weights(DigitTables digits, Index half_of = 0);

/// Entries of all tables of transformed_weights() with that many lower digits.
[[nodiscard]] Index table_entries(Index n, Index count, Index base);
/// The lower digit's entries for which those are fewest.
[[nodiscard]] Index best_base(Index n, Index count);

/// Position j has  sum over k < count of low[k % base] high[k / base] e^(2 pi i sign jk step/n): the 1-D transform of
/// such weights, followed by zeros. Any n and count <= n; nothing is as long as n. Relative L2 error below 2^-85.
/// Source: shardfft docs/theory/verification.md, "Long axes".
[[nodiscard]] std::unique_ptr<AxisWeights> transformed_weights(const DigitTables& digits, Index count, Index n,
                                                               int sign, Index half_of = 0, Index step = 1);

}  // namespace shardfft
