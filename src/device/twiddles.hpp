// The factors between the two halves of a split axis (grid/axis_split.hpp), of what a device gathers into a tile or
// decodes to it.
#pragma once

#include "shardfft/box.hpp"

namespace shardfft {

/// Complex elements arrive in a packed tile multiplied: the one with index k along the half that is transformed next,
/// and index j of the tile along the other half, with power k * y of exp(-2 pi i / n). y is the index of the other half
/// that is counted `from` + j (grid/cyclic_axis.hpp). Which element it is follows from where it arrives. Steps count
/// elements.
struct TileTwiddles {
  bool backward = false;  ///< powers of exp(+2 pi i / n)
  Index n = 1;            ///< of the whole axis; no power reaches it
  Index length = 1,
        step = 1;  ///< of the half that is transformed next: its extent, and from one of its elements to the next
  Index other_extent = 1, other_step = 1;  ///< of the other half, what the tile has of it,
  Index from = 0;                          ///< where that begins,
  Index other_length = 1, owners = 1;      ///< its whole extent, and its owners
  Index at = 0;                            ///< bytes from the base of what arrives to where the tile begins
};

}  // namespace shardfft
