// How rows are copied with few calls: vendors copy boxes whose planes follow each other at a whole number of rows.
// Index arithmetic only.
#pragma once

#include <vector>

#include "device/moves.hpp"

namespace shardfft {

/// One call: `planes` x `rows` rows; row (i, j) is (i * plane_rows + j) * row_step behind its start, at either end.
struct RowsCall {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t row_bytes = 0;
  Index planes = 1, rows = 1;
  Index to_row_step = 0, from_row_step = 0;      ///< bytes, at least row_bytes
  Index to_plane_rows = 0, from_plane_rows = 0;  ///< at least rows
};

/// The calls that together are the copy. Rows that follow each other without gaps at both ends become one; a step
/// beyond `most_step` (what the vendor takes) is never asked for.
[[nodiscard]] std::vector<RowsCall> calls_of(const RowsCopy& copy, Index most_step);

}  // namespace shardfft
