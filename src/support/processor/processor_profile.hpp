// What measurements found where the processors of different makers want different things (docs/performance/lessons.md).
#pragma once

#include "shardfft/box.hpp"

namespace shardfft {

/// Facts that only measuring finds and that must not change from run to run. No bit of a result depends on them.
struct ProcessorProfile {
  bool gather_prefetches_next = false;  ///< so many rows at once are too many patterns for the hardware's prefetchers
  bool pairs_tiles_in_row = false;      ///< tiles of two kernels are taken together where that saves parts of lines
  bool crowded_when_read = false;  ///< several kernels' pencils are taken where rows that are read crowd the caches;
                                   ///< else from the length on from which a tile leaves the first-level cache
  /// Bytes of the cache in which what is prefetched a whole pass before stays; 0: the first pass prefetches.
  Index pass_prefetch_bytes = 0;
  /// Bytes of a core's own cache, of which planes that are written keep three quarters at most; 0: of any size.
  Index plane_cache_bytes = 0;
};

/// The profile of this processor.
[[nodiscard]] const ProcessorProfile& processor_profile();
/// By maker, for tests.
[[nodiscard]] ProcessorProfile profile_of_amd();
[[nodiscard]] ProcessorProfile profile_of_others();

}  // namespace shardfft
