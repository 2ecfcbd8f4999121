// Pencils in memory, as kernels see them that need no gather and no scatter.
#pragma once

#include <cstddef>

#include "shardfft/box.hpp"

namespace shardfft {

/// All pencils of a full tile next to each other in memory: element k of pencil v is `offset` bytes and v elements
/// after rows[k]. Complex, (re, im) interleaved.
struct RowSource {
  const std::byte* const* rows = nullptr;
  Index offset = 0;
  Index prefetch_distance = 0;  ///< bytes from what is read of a row to what is to be asked for, as much of it that
                                ///< will be read soon; 0: none, rows are in cache
};
struct RowTarget {
  std::byte* const* rows = nullptr;  ///< nullptr among them: that result is not wanted
  Index offset = 0;
  double scale = 1;                                ///< of the results
  Index non_temporal_lo = 0, non_temporal_hi = 0;  ///< rows non_temporal_lo .. non_temporal_hi - 1 are stored past the
                                                   ///< cache: then each address of theirs is a multiple of 64
  const std::byte* const* next =
      nullptr;  ///< as many rows as are stored, of which the last pass asks for what lies `next_offset` bytes after
                ///< them, instead of the first one (RowSource::prefetch_distance)
  Index next_offset = 0;

  [[nodiscard]] bool is_non_temporal(Index row) const {
    return static_cast<std::size_t>(row - non_temporal_lo) <
           static_cast<std::size_t>(non_temporal_hi - non_temporal_lo);
  }
};

/// Tiles whose pencils follow each other in memory: the next one's are as many elements further along the rows, and its
/// buffers `apart` bytes further.
struct TilesInRow {
  int count = 1;
  Index apart = 0;
};

/// A pencil whose elements follow each other in memory at both ends, complex ones as (re, im). Both ends may be the
/// same memory.
struct ContiguousPencil {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  Index prefetch_distance = 0;  ///< bytes from `from` to as much memory that will be read soon and is to be asked for;
                                ///< 0: none. Any address is allowed
  double scale = 1;             ///< of the results
  bool non_temporal = false;    ///< store past the cache: then `to` and the bytes that are stored are multiples of 64
};

}  // namespace shardfft
