// A box as the kernel that moves it reads it, and which part of it a block of threads moves. Index arithmetic only.
#pragma once

#include <cstdint>

#include "device/kernels/divisor.hpp"
#include "device/moves.hpp"
#include "support/hd.hpp"

namespace shardfft {

/// Bytes from where the box begins in both places.
struct MoveOffsets {
  Index from = 0, to = 0;
};

enum class MoveWay : std::uint8_t { rows, tiles };

/// A box of `outer` rows, or of `outer` planes that are transposed in tiles.
///
/// Rows: a block moves `outer_at_once` whole rows, or the `row_cut`-th part of one row where rows are long.
/// Tiles: the source is without gaps (or nearly) along `column`, the target along `row`. A block reads up to
/// `outer_at_once` tiles of 2^column_bits x 2^row_bits elements along columns and writes them along rows.
struct PreparedMove {
  static constexpr Index most_outer =
      Index{1} << 31;  ///< `outer` and the number of blocks are less, so that they are divided as 32-bit numbers

  MoveWay way = MoveWay::rows;
  MoveBase from_base = MoveBase::fixed, to_base = MoveBase::fixed;
  bool conjugates = false;
  std::uint8_t access = 0;  ///< bytes moved at once if both addresses are multiples of it: 4, 8, 16; all steps, and
                            ///< whole rows without gaps, are
  std::uint8_t column_bits = 0, row_bits = 0, outer_axes = 0;
  Index from = 0, to = 0;  ///< bytes from their bases
  MoveAxis row{}, column{};
  Index row_bytes = 0;   ///< of all elements of a row, without gaps
  Index row_cut = 0;     ///< rows: bytes of a row in a block; tiles: elements
  Index column_cut = 1;  ///< elements
  Index row_cuts = 1, column_cuts = 1;
  Index outer = 1, outer_at_once = 1;
  Divisor by_row_cuts{}, by_column_cuts{};
  Divisor by_row_bytes{};                     ///< where blocks have several rows
  MoveAxis outer_axis[BoxMove::most_axes]{};  ///< slowest first
  Divisor by_outer_extent[BoxMove::most_axes]{};

  [[nodiscard]] SHARDFFT_HD Index blocks() const {
    return (outer + outer_at_once - 1) / outer_at_once * row_cuts * column_cuts;
  }
};

/// What a block moves: the range [row_begin, row_end) of rows (bytes; of tiles: elements), [column_begin, column_end)
/// of columns, of `outers` rows or planes from `outer` on.
struct MovePart {
  Index row_begin = 0, row_end = 0, column_begin = 0, column_end = 1;
  std::uint32_t outer = 0;
  int outers = 1;
};

[[nodiscard]] SHARDFFT_HD inline Index smaller(Index a, Index b) { return a < b ? a : b; }

/// Part `block` of a box, 0 <= block < box.blocks().
[[nodiscard]] SHARDFFT_HD inline MovePart part_of(const PreparedMove& box, Index block) {
  const auto number = static_cast<std::uint32_t>(block);
  const std::uint32_t of_columns = box.by_column_cuts(number), of_rows = box.by_row_cuts(of_columns);
  const Index column = number - of_columns * static_cast<std::uint32_t>(box.column_cuts),
              row = of_columns - of_rows * static_cast<std::uint32_t>(box.row_cuts),
              outer = static_cast<Index>(of_rows) * box.outer_at_once;
  MovePart part;
  part.row_begin = row * box.row_cut;
  part.row_end = smaller(part.row_begin + box.row_cut, box.way == MoveWay::rows ? box.row_bytes : box.row.extent);
  part.column_begin = column * box.column_cut;
  part.column_end = smaller(part.column_begin + box.column_cut, box.column.extent);
  part.outer = static_cast<std::uint32_t>(outer);
  part.outers = static_cast<int>(smaller(box.outer_at_once, box.outer - outer));
  return part;
}

/// The start of row or plane `index`, 0 <= index < box.outer.
[[nodiscard]] SHARDFFT_HD inline MoveOffsets outer_offsets(const PreparedMove& box, std::uint32_t index) {
  MoveOffsets at;
  SHARDFFT_NO_UNROLL
  for (int axis = box.outer_axes - 1; axis > 0; --axis) {
    const MoveAxis& a = box.outer_axis[axis];
    const std::uint32_t next = box.by_outer_extent[axis](index);
    const Index here = static_cast<Index>(index) - static_cast<Index>(next) * a.extent;
    at.from += here * a.from_step;
    at.to += here * a.to_step;
    index = next;
  }
  at.from += static_cast<Index>(index) * box.outer_axis[0].from_step;
  at.to += static_cast<Index>(index) * box.outer_axis[0].to_step;
  return at;
}

/// Which box block `block` belongs to: the last one with first_block[box] <= block. first_block has count + 1 entries,
/// the first is 0, the last the number of all blocks.
[[nodiscard]] SHARDFFT_HD inline Index box_of_block(const Index* first_block, Index count, Index block) {
  Index low = 0, high = count;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (first_block[middle] <= block ? low : high) = middle;
  }
  return low;
}

}  // namespace shardfft
