// How many pencils a sweep on the processor takes together.
#pragma once

#include "support/processor/processor_profile.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

struct TileWidth {
  int pencils = 0;          ///< 0: those of one kernel
  bool two_in_row = false;  ///< if these are two kernels' pencils, each row is read and written for both at once
};

/// For the pencils of `axis`, one of the sweep's: as many as the spec says, or as measurements on such processors
/// say. No bit of a result depends on it.
[[nodiscard]] TileWidth tile_width(const SweepSpec& spec, const SweepAxis& axis, const ProcessorProfile& profile);

}  // namespace shardfft
