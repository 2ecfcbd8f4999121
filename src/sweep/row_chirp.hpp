// The chirp of a long axis that lies in rows (grid/chirped_axis.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "engine/engine.hpp"

namespace shardfft {

/// exp(-i pi k^2 / n), or its conjugate, of some rows of `row` elements each.
class RowChirp {
 public:
  /// For sweeps that never run.
  RowChirp() = default;
  /// Rows first ... end - 1; element k of row r has the index r * row + k.
  RowChirp(Index n, Index row, Index first, Index end, bool conjugated);

  /// Pencils of a tile: `count` of them from `lane` on, which are the rows row, row + step, row + 2 step ...
  struct Pencils {
    Index lane = 0, count = 0, row = 0, step = 1;
  };
  void multiply(Scalar scalar, const TileFormat& format, std::byte* tile, const Pencils& pencils) const;
  [[nodiscard]] Index end() const { return end_; }

 private:
  Index row_ = 0, first_ = 0, end_ = 0;
  std::vector<double> factors_{};  ///< re, im
};

/// Stores exp(-i pi k^2 / n), k = first ... first + count - 1, as re, im pairs. `first` may be negative.
void store_chirp(Index n, Index first, Index count, double* to);

}  // namespace shardfft
