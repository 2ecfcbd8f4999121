// The table of pencils that the kernel of fused_pencils.hpp reads, made once on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/fused.hpp"

namespace shardfft {

/// Pencils that are next to each other fill half a cache line of a GPU: 64 bytes.
template <class T>
inline constexpr int fused_at_once = 64 / (2 * static_cast<int>(sizeof(T)));

/// Its elements are numbers [begin, end) of the pencil's at that end, stretch by stretch.
struct PreparedStretch {
  Index at = 0, step = 0, pencil_step = 0, outer_step[PencilStretch::most_outer] = {};
  std::int32_t begin = 0, end = 0, first = 0, stride = 1;
  MoveBase base = MoveBase::fixed;
};

/// One end of a family.
struct PreparedEnd {
  Index first_stretch = 0;
  std::int32_t stretches = 0;
  bool along = true;  ///< elements of a pencil are nearer to each other than its neighbours
};

/// Blocks take `at_once` pencils each, all tiles of one outer place first.
struct PreparedFamily {
  Index pencils = 1, tiles = 1;
  Index outer[PencilStretch::most_outer] = {};
  int outer_axes = 0;
  PreparedEnd from{}, to{};
};

/// The table as the kernel sees it: addresses that its threads read.
struct FusedTableView {
  const PreparedFamily* families = nullptr;
  const Index* first_block = nullptr;  ///< count + 1 numbers
  const PreparedStretch* stretches = nullptr;
  const std::byte* roots =
      nullptr;  ///< of real pencils: exp(-2 pi i k / n), k <= n / 4, as complex numbers of their scalars
  Index count = 0, blocks = 0;
};

/// All of it lies in one memory, to be copied at once.
struct FusedTable {
  std::vector<std::byte> memory{};
  std::size_t first_block_at = 0, stretches_at = 0, roots_at = 0;
  Index count = 0, blocks = 0;
  /// `copy`: of the memory, aligned to 16.
  [[nodiscard]] FusedTableView view(const std::byte* copy) const;
};

/// Throws Error(invalid_argument): the rule, what it got.
[[nodiscard]] FusedTable make_fused_table(const FusedSpec& spec, std::span<const PencilFamily> families);
/// Likewise, where a launch finds the places that steps count from.
void check_places(const FusedSpec& spec, const MoveBases& bases);

}  // namespace shardfft
