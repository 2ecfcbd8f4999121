// The factors between the two halves of a split axis (grid/axis_split.hpp), on a device; see DeviceTask.
#pragma once

#include <cstddef>

#include "shardfft/box.hpp"
#include "support/scalar.hpp"

namespace shardfft {

/// Complex numbers of a packed tile, element (.., k, ..) of the indices from, from + 1, .. along the other half, are multiplied with power k * y of exp(-2 pi i / n). Steps count elements.
struct TwiddleTile {
  Scalar scalar = Scalar::f64;  ///< f32 or f64
  bool backward = false;        ///< powers of exp(+2 pi i / n)
  Index n = 1;                  ///< of the whole axis; no power reaches it
  Index elements = 0;           ///< that are multiplied
  Index length = 1, step = 1;   ///< of the half that is transformed next: its extent, and from one of its elements to the next
  Index other_extent = 1, other_step = 1;  ///< of the other half
  Index from = 0, count = 1;               ///< which of its indices in the tile,
  Index y = 0, y_step = 1;                 ///< and what they are: y, y + y_step, ...
  std::byte* tile = nullptr;
};

}  // namespace shardfft
