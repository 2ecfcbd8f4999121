// The table of pencils that the kernel of fused_pencils.hpp reads, made once on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/fused.hpp"
#include "device/kernels/divisor.hpp"

namespace shardfft {

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

/// Blocks take fused_at_once() pencils each, all tiles of one outer place first.
struct PreparedFamily {
  Index pencils = 1;
  std::uint32_t tiles = 1, outer[PencilStretch::most_outer] = {};
  Divisor by_tiles{}, by_outer[PencilStretch::most_outer]{};
  std::int32_t outer_axes = 0;
  PreparedEnd from{}, to{};
};

/// What holds at one end of all families of a launch.
struct FusedEnd {
  bool scalars = false;       ///< elements are reals; else complex numbers, or pairs of reals that lie like some
  bool lone = false;          ///< there is one family, and one stretch has its pencils in order
  bool straight = false;      ///< moreover in the order in which threads transform them: the tile is not needed
  PreparedStretch stretch{};  ///< where it is lone
};

/// The table as the kernel sees it: addresses that its threads read, and what all of them need.
struct FusedTableView {
  const PreparedFamily* families = nullptr;
  const Index* first_block = nullptr;  ///< count + 1 numbers
  const PreparedStretch* stretches = nullptr;
  const std::byte* roots =
      nullptr;  ///< of real pencils: exp(-2 pi i k / n), k <= n / 4, as complex numbers of their scalars
  const std::byte* twiddles =
      nullptr;  ///< of p parts, p > 1: exp(-2 pi i r k / m), 0 < r < p, k < m / p, for one r after the other
  Index count = 0, blocks = 0;
  PreparedFamily family{};  ///< the first one
  FusedEnd from{}, to{};
};

/// All of it lies in one memory, to be copied at once.
struct FusedTable {
  std::vector<std::byte> memory{};
  std::size_t first_block_at = 0, stretches_at = 0, roots_at = 0, twiddles_at = 0;
  FusedTableView about{};  ///< without addresses
  /// `copy`: of the memory, aligned to 16.
  [[nodiscard]] FusedTableView view(const std::byte* copy) const;
};

/// Throws Error(invalid_argument): the rule, what it got.
[[nodiscard]] FusedTable make_fused_table(const FusedSpec& spec, std::span<const PencilFamily> families);
/// Likewise, where a launch finds the places that steps count from.
void check_places(const FusedSpec& spec, const MoveBases& bases);

}  // namespace shardfft
