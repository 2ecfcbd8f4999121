#include "sweep/host/row_starts.hpp"

#include <algorithm>
#include <cstdint>

#include "support/memory/round_up.hpp"

namespace shardfft {
// One start serves a whole tile only where all its elements along the walk's axis begin alike, and only tiles of whole
// lines have something to gain.
RowStarts::RowStarts(const Box& box, const Walk& walk, int pencils, const Patch& to, Index element)
    : to_(&to), element_(element) {
  if (walk.lane < 0 || walk.across || to.strides[walk.lane] != element || to.strides[walk.axis] % cache_line != 0 ||
      pencils * element % cache_line != 0)
    return;
  const auto in_line = [&](int a) { return a == walk.lane || box.extent(a) == 1 || to.strides[a] % cache_line == 0; };
  bool all = to.base == Base::fixed &&
             (reinterpret_cast<std::uintptr_t>(to.address) + static_cast<std::uintptr_t>(to.offset)) % cache_line == 0;
  for (int a = 0; a < box.dims(); ++a)
    all = all && in_line(a) &&
          (box.lo[a] == to.box.lo[a] || to.strides[a] * (box.lo[a] - to.box.lo[a]) % cache_line == 0);
  if (!all) most_ = cache_line / element - 1;
}

Index RowStarts::of(Index row, const Box& box, const Walk& walk, const Bases& bases) const {
  if (most_ == 0) return 0;
  const Coord at = pencil_at(box, walk, row * box.extent(walk.lane)).at;
  Index address = static_cast<Index>(reinterpret_cast<std::uintptr_t>(bases.start(*to_)));
  for (int a = 0; a < at.dims(); ++a)
    if (a != walk.axis) address += (at[a] - to_->box.lo[a]) * to_->strides[a];
  const Index ahead = address % cache_line;
  return ahead % element_ == 0 ? ahead / element_ : 0;
}

}  // namespace shardfft
