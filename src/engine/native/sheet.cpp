#include "engine/native/sheet.hpp"

#include <algorithm>

#include "engine/native/root_products.hpp"

namespace shardfft::native {

namespace {

/// First columns of tiles of `width` columns; the last tile has the last columns.
std::vector<Index> tile_starts(Index columns, Index width) {
  std::vector<Index> starts;
  for (Index at = 0; at < columns; at += width) starts.push_back(std::min(at, columns - width));
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

/// Scalars of a group of lines, so that neighbouring groups do not meet in the same sets of a cache: an odd number of lines, and far from a multiple of 64.
template <class T>
Index scalars_apart(Index elements, Index lanes) {
  const auto bytes = elements * 2 * lanes * static_cast<Index>(sizeof(T));
  Index lines = (bytes + 63) / 64;
  lines += (64 + 17 - lines % 64) % 64;
  return lines * 64 / static_cast<Index>(sizeof(T));
}

}  // namespace

template <class T>
OwnSheet<T>::OwnSheet(const Halves& halves, Index lanes, bool pairs, bool backward, double scale, Index together) {
  sheet_ = {.n = halves, .lines = pairs ? halves.first / 2 + 1 : halves.first, .apart = scalars_apart<T>(halves.second, lanes)};
  const Index width = pairs ? 2 * lanes : lanes;
  const std::vector<Index> tiles = tile_starts(halves.second, width), groups = tile_starts(sheet_.lines, lanes);
  columns_ = runs_of(tiles, width, together);
  lines_ = runs_of(groups, lanes, together);
  groups_ = static_cast<Index>(groups.size());
  for (const Index start : tiles)
    for (Index part = 0; part < width; part += lanes) starts_.push_back(start + part);
  const Roots<T> roots(halves.length());
  const auto re = [&](const Root& w, double by) { return static_cast<T>(by * w.re); };
  const auto im = [&](const Root& w, double by) { return static_cast<T>(by * (backward ? -w.im : w.im)); };
  near_.reserve(static_cast<std::size_t>(2 * lanes * sheet_.lines));
  far_.reserve(static_cast<std::size_t>(2 * sheet_.lines) * starts_.size());
  for (Index c = 0; c < sheet_.lines; ++c) {
    for (Index v = 0; v < lanes; ++v) near_.push_back(re(roots(c * v), 1));
    for (Index v = 0; v < lanes; ++v) near_.push_back(im(roots(c * v), 1));
  }
  for (const Index start : starts_)
    for (Index c = 0; c < sheet_.lines; ++c) {
      const Root w = roots(c * start);
      far_.push_back(re(w, scale));
      far_.push_back(im(w, scale));
    }
  sheet_.near = near_.data();
  sheet_.far = far_.data();
  sheet_.starts = starts_.data();
}

template class OwnSheet<float>;
template class OwnSheet<double>;

}  // namespace shardfft::native
