// The table of boxes that the kernel of move.hpp reads, made once on the host.
#pragma once

#include <span>
#include <vector>

#include "device/kernels/prepared_move.hpp"

namespace shardfft {

inline constexpr int move_tile_bytes = 16 * 1024;  ///< elements of all tiles that a block has in shared memory

/// The table as the kernel sees it: addresses that its threads read.
struct MoveTableView {
  const PreparedMove* boxes = nullptr;
  const Index* first_block = nullptr;  ///< count + 1 numbers
  Index count = 0, blocks = 0;
};

struct MoveTable {
  std::vector<PreparedMove> boxes{};
  std::vector<Index> first_block{};  ///< of every box, and behind the last one
  Index bytes = 0;                   ///< read by one launch, and as many written

  [[nodiscard]] Index blocks() const { return first_block.back(); }
  /// With the addresses of copies of both arrays; of these by default.
  [[nodiscard]] MoveTableView view(const PreparedMove* boxes_at, const Index* first_block_at) const {
    return {boxes_at, first_block_at, static_cast<Index>(boxes.size()), blocks()};
  }
  [[nodiscard]] MoveTableView view() const { return view(boxes.data(), first_block.data()); }
};

/// Boxes in any form. `most_outer`: boxes with as many rows or more are cut (smaller in tests). Throws
/// Error(invalid_argument) for scalars other than f32 and f64, more than 8 axes, extents below 1, conjugates of reals
/// or twiddle factors for them, and steps or offsets that are not multiples of the scalar's size (of the element's, in
/// a tile of the latter).
[[nodiscard]] MoveTable make_move_table(const MoveSpec& spec, std::span<const BoxMove> boxes,
                                        Index most_outer = PreparedMove::most_outer);

}  // namespace shardfft
