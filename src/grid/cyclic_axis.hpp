// A cyclic axis inside a plan. Index i belongs to owner i mod owners, as cards are round_robin, and there the axis is
// counted owner by owner: what a rank owns of it is then one range, as of slabs, so that boxes, pieces and messages are
// those of blocks. Only who transforms the axis must know which index an element has (sweep/host/tiles.hpp), and where
// a range that is natural meets one that is cyclic it falls into one part for each owner.
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

/// An axis of n indices; with one hand the axis as it is.
struct CyclicMap {
  Index n = 1, owners = 1;
  [[nodiscard]] Index counted(Index i) const { return blocks::begin(n, owners, i % owners) + i / owners; }
  /// Of what is counted `at`, 0 <= at < n.
  [[nodiscard]] Index index(Index at) const {
    const Index owner = owner_of(at);
    return owner + (at - blocks::begin(n, owners, owner)) * owners;
  }
  [[nodiscard]] Index owner_of(Index at) const { return blocks::owner(n, owners, at); }
  /// How many of that owner are counted from there on, itself included.
  [[nodiscard]] Index left_of_owner(Index at) const { return blocks::begin(n, owners, owner_of(at) + 1) - at; }
  /// Where the indices of [lo, hi) that `owner` has are counted.
  [[nodiscard]] IndexRange part(Index owner, IndexRange indices) const;
  friend bool operator==(const CyclicMap&, const CyclicMap&) = default;
};

/// visit(where it is counted, its first index, how many) for each part of what is counted [lo, hi) that one owner has:
/// its indices are `owners` apart.
template <class Visit>
void for_runs(const CyclicMap& map, IndexRange counted, Visit visit) {
  for (Index at = counted.lo; at < counted.hi;) {
    const Index left = map.left_of_owner(at), count = left < counted.hi - at ? left : counted.hi - at;
    visit(at, map.index(at), count);
    at += count;
  }
}

/// How many owners each axis of a layout is cyclic over: of a cyclic one its ranks along its axis, 1 else.
[[nodiscard]] Coord owners_of(const Layout& layout);

/// The same owners of an array whose axes are counted by `owners`, which are those of `layout` where that has some. A
/// process grid where there is one.
[[nodiscard]] Layout counted(const Layout& layout, const Coord& owners);

/// The same places: of patches whose boxes are counted by `own` owners, in an array of extents `global`. Each of them
/// lies in one owner where there are some.
[[nodiscard]] std::vector<Patch> counted(const std::vector<Patch>& patches, const Shape& global, const Coord& own,
                                         const Coord& owners);

}  // namespace shardfft
