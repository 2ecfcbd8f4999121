// A cyclic axis inside a plan. Index i belongs to owner i mod owners. Inside a plan the axis is ordered by owner: first
// all indices of owner 0, then those of owner 1, and so on. What a rank owns is then one range, as of slabs, and boxes,
// pieces and messages are those of blocks. Only the sweep that transforms the axis maps places to indices
// (sweep/host/paths/tile_axis.hpp). A range in natural order meets a cyclic one in one part for each owner.
#pragma once

#include <vector>

#include "grid/blocks.hpp"
#include "grid/patch.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

/// Half-open.
struct IndexRange {
  Index lo = 0, hi = 0;
  [[nodiscard]] bool empty() const { return lo >= hi; }
};

/// An axis of n indices. With one owner it is in natural order.
struct CyclicMap {
  Index n = 1, owners = 1;
  /// The place of index i in the order by owner.
  [[nodiscard]] Index counted(Index i) const { return blocks::begin(n, owners, i % owners) + i / owners; }
  /// The index that lies at `at` in that order, 0 <= at < n.
  [[nodiscard]] Index index(Index at) const {
    const Index owner = owner_of(at);
    return owner + (at - blocks::begin(n, owners, owner)) * owners;
  }
  [[nodiscard]] Index owner_of(Index at) const { return blocks::owner(n, owners, at); }
  /// How many indices of the same owner begin at `at`, itself included.
  [[nodiscard]] Index left_of_owner(Index at) const { return blocks::begin(n, owners, owner_of(at) + 1) - at; }
  /// The range of that order which holds the indices of [lo, hi) that `owner` has.
  [[nodiscard]] IndexRange part(Index owner, IndexRange indices) const;
  friend bool operator==(const CyclicMap&, const CyclicMap&) = default;
};

/// visit(at, first index, how many) for each part of the range `counted` that one owner has. Its indices are `owners`
/// apart.
template <class Visit>
void for_runs(const CyclicMap& map, IndexRange counted, Visit visit) {
  for (Index at = counted.lo; at < counted.hi;) {
    const Index left = map.left_of_owner(at), count = left < counted.hi - at ? left : counted.hi - at;
    visit(at, map.index(at), count);
    at += count;
  }
}

/// Owners of each axis of a layout: the ranks along the axis of a cyclic one, else 1.
[[nodiscard]] Coord owners_of(const Layout& layout);

/// The layout of the array whose axes are ordered by `owners`. A cyclic `layout` must have these owners. The result is
/// a process grid if there is one.
[[nodiscard]] Layout counted(const Layout& layout, const Coord& owners);

/// Patches of the same memory in the ordered array of extents `global`. `own`: the owners that order the given boxes.
/// Each patch belongs to one owner.
[[nodiscard]] std::vector<Patch> counted(const std::vector<Patch>& patches, const Shape& global, const Coord& own,
                                         const Coord& owners);

}  // namespace shardfft
