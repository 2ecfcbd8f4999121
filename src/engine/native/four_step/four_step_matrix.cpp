#include "engine/native/four_step/four_step_matrix.hpp"

#include <algorithm>

namespace shardfft::native {

namespace {

/// Neighbouring ones of `width` columns each, at most so many together. `vectors` of each are a tile by themselves.
std::vector<Run> runs_of(const std::vector<Index>& starts, Index width, Index vectors, Index most) {
  std::vector<Run> runs;
  for (Index i = 0; i < static_cast<Index>(starts.size()); ++i) {
    const Index start = starts[static_cast<std::size_t>(i)];
    if (!runs.empty() && runs.back().tiles < most && start == runs.back().start + runs.back().tiles / vectors * width)
      runs.back().tiles += vectors;
    else
      runs.push_back({i * vectors, vectors, start});
  }
  return runs;
}

/// Scalars of a group of lines, so that neighbouring groups do not meet in the same sets of a cache: an odd number of
/// lines, and far from a multiple of 64.
template <class T>
Index scalars_apart(Index elements, Index lanes) {
  const auto bytes = elements * 2 * lanes * static_cast<Index>(sizeof(T));
  Index lines = (bytes + 63) / 64;
  lines += (64 + 17 - lines % 64) % 64;
  return lines * 64 / static_cast<Index>(sizeof(T));
}

}  // namespace

template <class T>
OwnMatrix<T>::OwnMatrix(const FourStepFactors& halves, Index lanes, bool pairs, bool backward, Index together,
                        bool filled)
    : vectors_(widest<T> / lanes),
      parts_(pairs ? 2 : 1),
      lines_count_(pairs ? halves.first / 2 + 1 : halves.first),
      near_(filled ? near_factors<T>({1, halves.length()}, lines_count_, backward, [](Index) { return Root{}; })
                   : Scalars<T>()),
      far_({1, halves.length()}, lines_count_,
           filled ? part_starts(tile_starts(halves.second, parts_ * widest<T>), parts_ * widest<T>, widest<T>)
                  : std::vector<Index>(),
           backward, filled) {
  matrix_ = {.n = halves,
             .lines = lines_count_,
             .groups = (lines_count_ + widest<T> - 1) / widest<T> * vectors_,
             .apart = scalars_apart<T>(halves.second, lanes)};
  if (!filled) return;
  const std::vector<Index> columns = tile_starts(halves.second, parts_ * widest<T>);
  starts_ = part_starts(columns, widest<T>, lanes);
  columns_ = runs_of(columns, parts_ * widest<T>, vectors_, together);
  lines_ = runs_of(tile_starts(matrix_.lines, widest<T>), widest<T>, vectors_, together);
  matrix_.near = near_.get();
  matrix_.far_apart = far_.row_scalars();
  matrix_.starts = starts_.data();
}

template class OwnMatrix<float>;
template class OwnMatrix<double>;

}  // namespace shardfft::native
