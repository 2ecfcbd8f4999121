// Which frequencies a spectrum of fewer modes has, and in which places.
#pragma once

#include <algorithm>

#include "shardfft/box.hpp"

namespace shardfft {

/// The `modes` lowest frequencies of an axis of n points in the usual order, 0 .. K, -K .. -1. An even number has one
/// more place, at modes/2, for the two outermost ones together. docs/theory/pruned.md.
struct KeptModes {
  Index n = 1, modes = 1;
  bool half = false;     ///< frequencies 0 .. modes/2 alone
  bool periodic = true;  ///< else the first ones, none of which has a counterpart

  [[nodiscard]] Index count() const { return half ? modes / 2 + 1 : modes; }
  [[nodiscard]] bool are_all() const { return modes == n; }
  /// Whether place middle() holds two frequencies, those with index(middle()) and mirrored() in the whole spectrum.
  [[nodiscard]] bool folds() const { return periodic && modes < n && modes % 2 == 0; }
  [[nodiscard]] Index middle() const { return modes / 2; }
  [[nodiscard]] Index mirrored() const { return n - middle(); }
  /// Places 0 .. first() - 1 hold the first ones of the whole spectrum, the others its last ones.
  [[nodiscard]] Index first() const { return half || !periodic ? count() : std::min(middle() + 1, count()); }
  /// The index in the whole spectrum of the kept mode at `place`.
  [[nodiscard]] Index index(Index place) const {
    return half || !periodic || place <= middle() ? place : place + n - modes;
  }
};

}  // namespace shardfft
