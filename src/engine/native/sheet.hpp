// The sheet between two halves, with the tables that it points to, and where it lies.
#pragma once

#include <vector>

#include "engine/native/long_routines.hpp"

namespace shardfft::native {

/// Neighbouring tiles of columns, or of lines, that are read from memory, or written there, together.
struct Run {
  Index first = 0;  ///< number of the first tile
  Index tiles = 1;
  Index start = 0;  ///< its first column or line
};

/// Movable; not copied, because of the pointers.
template <class T>
class OwnSheet {
 public:
  /// With pairs, a tile of columns is two parts and only first/2 + 1 lines are kept. `backward`: conjugate factors. `scale`: of the factors. At most `together` tiles make a run.
  OwnSheet(const Halves& halves, Index lanes, bool pairs, bool backward, double scale, Index together);
  OwnSheet(OwnSheet&&) noexcept = default;

  [[nodiscard]] const Sheet<T>& get() const { return sheet_; }
  [[nodiscard]] const std::vector<Run>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<Run>& lines() const { return lines_; }
  [[nodiscard]] Index groups() const { return groups_; }
  [[nodiscard]] Index scalars() const { return groups_ * sheet_.apart; }

 private:
  std::vector<Run> columns_{}, lines_{};
  Index groups_ = 0;
  std::vector<Index> starts_{};
  std::vector<T> near_{}, far_{};
  Sheet<T> sheet_{};
};

}  // namespace shardfft::native
