// The matrix between the two transforms, with the tables that it points to, and where it lies.
#pragma once

#include <vector>

#include "engine/native/four_step/line_factors.hpp"

namespace shardfft::native {

/// Neighbouring tiles of columns, or of lines, that are read from memory, or written there, together.
struct Run {
  Index first = 0;  ///< number of the first tile
  Index tiles = 1;
  Index start = 0;  ///< its first column or line
};

/// Movable; not copied, because of the pointers.
template <class T>
class OwnMatrix {
 public:
  /// With pairs, tiles of columns have real parts and imaginary ones, and only first/2 + 1 lines are kept. `backward`:
  /// conjugate factors. At most `together` tiles make a run. Not `filled`: sizes only.
  OwnMatrix(const FourStepFactors& halves, Index lanes, bool pairs, bool backward, Index together, bool filled);
  OwnMatrix(OwnMatrix&&) noexcept = default;

  [[nodiscard]] const FourStepMatrix<T>& get() const { return matrix_; }
  [[nodiscard]] const std::vector<Run>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<Run>& lines() const { return lines_; }
  [[nodiscard]] Index scalars() const { return matrix_.groups * matrix_.apart; }
  /// Factors of one tile of columns or, with pairs, of both of its parts; `workspace` as LineFactors needs it. To be
  /// asked for tile by tile: those in the same 64 bytes find in the workspace what the first of them put there.
  const T* far(Index tile, const FourStepRoutines<T>& routines, T* workspace) const {
    const bool there = tile % vectors_ != 0;
    return far_.rows(tile / vectors_ * parts_, parts_, routines, workspace, there);
  }
  [[nodiscard]] Index workspace() const { return parts_ * far_.row_scalars(); }
  void add_tables(TableBytes& found) const {
    found.add(columns_);
    found.add(lines_);
    found.add(starts_);
    near_.add_tables(found);
    far_.add_tables(found);
  }

 private:
  std::vector<Run> columns_{}, lines_{};
  Index vectors_ = 1, parts_ = 1, lines_count_ = 0;
  std::vector<Index> starts_{};
  Scalars<T> near_;
  LineFactors<T> far_;
  FourStepMatrix<T> matrix_{};
};

}  // namespace shardfft::native
