#include "engine/native/four_step/four_step_matrix.hpp"

#include <algorithm>

namespace shardfft::native {

namespace {

/// First columns of tiles or of their parts.
std::vector<Index> part_starts(Index columns, Index width, Index lanes) {
  std::vector<Index> starts;
  for (const Index start : tile_starts(columns, width))
    for (Index part = 0; part < width; part += lanes) starts.push_back(start + part);
  return starts;
}

std::vector<Run> runs_of(const std::vector<Index>& starts, Index width, Index most) {
  std::vector<Run> runs;
  for (Index i = 0; i < static_cast<Index>(starts.size()); ++i) {
    const Index start = starts[static_cast<std::size_t>(i)];
    if (!runs.empty() && runs.back().tiles < most && start == runs.back().start + runs.back().tiles * width)
      ++runs.back().tiles;
    else
      runs.push_back({i, 1, start});
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
    : parts_(pairs ? 2 : 1),
      starts_(filled ? part_starts(halves.second, parts_ * lanes, lanes) : std::vector<Index>()),
      near_(filled ? near_factors<T>({1, halves.length()}, pairs ? halves.first / 2 + 1 : halves.first, lanes, backward,
                                     [](Index) { return Root{}; })
                   : Scalars<T>()),
      far_({1, halves.length()}, pairs ? halves.first / 2 + 1 : halves.first, starts_, lanes, backward, filled) {
  matrix_ = {.n = halves,
             .lines = pairs ? halves.first / 2 + 1 : halves.first,
             .apart = scalars_apart<T>(halves.second, lanes)};
  groups_ = (matrix_.lines + lanes - 1) / lanes;
  if (!filled) return;
  const std::vector<Index> groups = tile_starts(matrix_.lines, lanes);
  columns_ = runs_of(tile_starts(halves.second, parts_ * lanes), parts_ * lanes, together);
  lines_ = runs_of(groups, lanes, together);
  matrix_.near = near_.get();
  matrix_.far_apart = far_.row_scalars();
  matrix_.starts = starts_.data();
}

template class OwnMatrix<float>;
template class OwnMatrix<double>;

}  // namespace shardfft::native
