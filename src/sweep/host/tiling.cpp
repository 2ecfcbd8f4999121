#include "sweep/host/tiling.hpp"

#include <algorithm>

namespace shardfft {

Tiling::Tiling(const Box& box, const Walk& walk, int pencils, Index most_ahead, bool full)
    : pencils_(pencils), total_(pencil_count(box, walk)), full_(full) {
  row_ = walk.across || walk.lane < 0 ? total_ : box.extent(walk.lane);
  if (total_ == 0) return;
  tiles_per_row_ = (row_ + most_ahead + pencils_ - 1) / pencils_;
  count_ = tiles_per_row_ * (total_ / row_);
}

Index Tiling::start(Index tile_in_row, Index ahead) const {
  return std::clamp<Index>(tile_in_row * pencils_ - ahead, 0, row_);
}
Index Tiling::first(Index tile, Index ahead) const {
  const Index from = start(tile % tiles_per_row_, ahead);
  return row(tile) * row_ + (full_ ? std::min(from, row_ - pencils_) : from);
}
Index Tiling::size(Index tile, Index ahead) const {
  return full_ ? pencils_ : start(tile % tiles_per_row_ + 1, ahead) - start(tile % tiles_per_row_, ahead);
}

}  // namespace shardfft
