#include "engine/native/four_step/line_factors.hpp"

#include <algorithm>
#include <cmath>

namespace shardfft::native {

namespace {

/// So many factors are one table.
constexpr Index most_in_table = 16384;

/// The number of `x` in the list, where it is put unless it is there.
Index number_of(Index x, std::vector<Index>& list) {
  const auto at = std::ranges::find(list, x);
  const Index number = at - list.begin();
  if (at == list.end()) list.push_back(x);
  return number;
}

}  // namespace

std::vector<Index> tile_starts(Index columns, Index width) {
  std::vector<Index> starts;
  for (Index at = 0; at < columns; at += width) starts.push_back(std::min(at, columns - width));
  return starts;
}

std::vector<Index> part_starts(const std::vector<Index>& starts, Index width, Index part) {
  std::vector<Index> parts;
  for (const Index start : starts)
    for (Index at = 0; at < width; at += part) parts.push_back(start + at);
  return parts;
}

template <class T>
LineFactors<T>::LineFactors(const RootOfUnity& turn, Index lines, const std::vector<Index>& starts, bool backward,
                            bool filled)
    : row_(row_scalars(lines)) {
  if (!filled) return;
  const auto tiles = static_cast<Index>(starts.size());
  const bool one_table = lines * tiles <= most_in_table;
  const Index span = static_cast<Index>(std::sqrt(static_cast<double>(tiles))) * widest<T>;
  std::vector<Index> coarse, fine;
  if (one_table) coarse = {0}, fine = starts;
  if (!one_table)
    for (const Index start : starts)
      places_.push_back({number_of(start / span * span, coarse), number_of(start % span, fine)});
  coarse_count_ = static_cast<Index>(coarse.size());
  coarse_ = Scalars<T>(row_ * coarse_count_);
  fine_ = Scalars<T>(row_ * static_cast<Index>(fine.size()));
  for (std::size_t i = 0; i < coarse.size(); ++i)
    put_row(turn.times(coarse[i]), lines, backward, coarse_.get() + row_ * static_cast<Index>(i));
  for (std::size_t i = 0; i < fine.size(); ++i)
    put_row(turn.times(fine[i]), lines, backward, fine_.get() + row_ * static_cast<Index>(i));
}

template <class T>
void LineFactors<T>::put_row(const RootOfUnity& turn, Index lines, bool backward, T* row) const {
  const Powers powers(turn, lines);
  for (Index c = 0; c < lines; ++c) {
    const Root w = powers(c);
    row[2 * c] = static_cast<T>(w.re);
    row[2 * c + 1] = static_cast<T>(backward ? -w.im : w.im);
  }
  std::fill(row + 2 * lines, row + row_, T(0));
}

template <class T>
const T* LineFactors<T>::rows(Index first, Index count, const FourStepRoutines<T>& routines, T* workspace,
                              bool there) const {
  if (coarse_count_ == 1) return fine_.get() + row_ * first;
  for (Index t = 0; t < count && !there; ++t) {
    const LineFactorsAt& place = places_[static_cast<std::size_t>(first + t)];
    routines.multiply_pairs(row_ / 2, coarse_.get() + row_ * place.coarse, fine_.get() + row_ * place.fine,
                            workspace + row_ * t);
  }
  return workspace;
}

template class LineFactors<float>;
template class LineFactors<double>;

}  // namespace shardfft::native
