// A cyclic axis inside a plan. Index i belongs to hand i mod hands, as cards are dealt, and there the axis is counted
// hand by hand: what a rank owns of it is then one range, as of slabs, so that boxes, pieces and messages are those of
// blocks. Only who transforms the axis must know which index an element has (sweep/host/tiles.hpp), and where a range
// that is natural meets one that is dealt it falls into one part for each hand.
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
struct Deal {
  Index n = 1, hands = 1;
  [[nodiscard]] Index counted(Index i) const { return blocks::begin(n, hands, i % hands) + i / hands; }
  /// Of what is counted `at`, 0 <= at < n.
  [[nodiscard]] Index index(Index at) const {
    const Index hand = hand_of(at);
    return hand + (at - blocks::begin(n, hands, hand)) * hands;
  }
  [[nodiscard]] Index hand_of(Index at) const { return blocks::owner(n, hands, at); }
  /// How many of that hand are counted from there on, itself included.
  [[nodiscard]] Index left_in_hand(Index at) const { return blocks::begin(n, hands, hand_of(at) + 1) - at; }
  /// Where the indices of [lo, hi) that `hand` has are counted.
  [[nodiscard]] IndexRange part(Index hand, IndexRange indices) const;
  friend bool operator==(const Deal&, const Deal&) = default;
};

/// visit(where it is counted, its first index, how many) for each part of what is counted [lo, hi) that one hand has:
/// its indices are `hands` apart.
template <class Visit>
void for_runs(const Deal& deal, IndexRange counted, Visit visit) {
  for (Index at = counted.lo; at < counted.hi;) {
    const Index left = deal.left_in_hand(at), count = left < counted.hi - at ? left : counted.hi - at;
    visit(at, deal.index(at), count);
    at += count;
  }
}

/// How many hands each axis of a layout is dealt to: of a cyclic one its ranks along its axis, 1 else.
[[nodiscard]] Coord hands_of(const Layout& layout);

/// The same owners of an array whose axes are counted by `hands`, which are those of `layout` where that has some. A
/// process grid where there is one.
[[nodiscard]] Layout counted(const Layout& layout, const Coord& hands);

/// The same places: of patches whose boxes are counted by `own` hands, in an array of extents `global`. Each of them
/// lies in one hand where there are some.
[[nodiscard]] std::vector<Patch> counted(const std::vector<Patch>& patches, const Shape& global, const Coord& own,
                                         const Coord& hands);

}  // namespace shardfft
