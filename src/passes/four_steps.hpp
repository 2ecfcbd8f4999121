// One axis that is longer than the memory, in two factors (grid/axis_split.hpp): each has a pass of its own, with the
// twiddle factors of the transform in memory between them.
#pragma once

#include <cstddef>
#include <vector>

#include "passes/asked.hpp"
#include "passes/pass.hpp"
#include "sweep/twiddles.hpp"

namespace shardfft::files {

/// `asked`, a transform of complex numbers, with the axis as two.
[[nodiscard]] FileTransform in_four_steps(const FileTransform& asked, const AxisSplit& s);

/// Whether the pass transforms the factor that comes second.
[[nodiscard]] bool multiplies_twiddles(const FileTransform& t, const Pass& pass);
/// Bytes of the tables.
[[nodiscard]] Index twiddle_bytes(const FileTransform& t);

/// The factors of a pass, for tiles in C order.
class TileTwiddles {
 public:
  explicit TileTwiddles(const FileTransform& t);
  /// Multiplies all elements of a tile of the pass.
  void multiply(const Box& tile, std::byte* memory, int threads) const;

 private:
  int axis_, other_;
  Precision precision_;
  Twiddles twiddles_;
};

}  // namespace shardfft::files
