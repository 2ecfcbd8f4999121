// Places of the caller's boxes in the caller's memory.
#pragma once

#include <vector>

#include "grid/patch.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"

namespace shardfft {

/// The placements of rank `me`'s boxes: those given, checked, or the default: box after box without gaps in the
/// layout's order; a cyclic layout is one local array whose cyclic axis counts the rank's own indices. Throws
/// Error(invalid_layout); `name` is "input_memory" or "output_memory".
[[nodiscard]] std::vector<Placement> placements(const Layout& layout, int me, const std::vector<Placement>& given,
                                                const char* name);

/// Throws Error(invalid_layout) unless each element of `box` gets a place of its own within a buffer. `number`: of the
/// box among those of this rank.
void check_placement(const Box& box, const Placement& placement, std::size_t number, const char* name);

/// A rank's part of a caller's array.
struct OwnPart {
  std::vector<Box> boxes{};
  std::vector<Placement> placements{};
};

/// This rank's part of a layout. Indices of a cyclic axis are ordered by owner (grid/cyclic_axis.hpp): those that are
/// evenly spaced make one box.
[[nodiscard]] OwnPart own_part(const Layout& layout, int me, const std::vector<Placement>& given, const char* name);

/// The placements of its boxes of reals in rows along `real_axis` that have room for 2 (n/2 + 1) numbers, n the row's
/// own; box after box. Throws Error(invalid_layout) where these rows are not the fastest axis, or are cut; `name` as
/// above.
[[nodiscard]] std::vector<Placement> padded_placements(const Layout& layout, int me, int real_axis, const char* name);

/// Elements from the buffer's start to the end of the last element.
[[nodiscard]] Index extent_of(const std::vector<Box>& boxes, const std::vector<Placement>& placements);

/// The boxes as patches of the caller's buffer `base`.
[[nodiscard]] std::vector<Patch> caller_patches(const std::vector<Box>& boxes, const std::vector<Placement>& placements,
                                                Base base, Index element_bytes);

/// Those patches cut to `region` boxes.
[[nodiscard]] std::vector<Patch> cut(const std::vector<Patch>& patches, const std::vector<Box>& regions);

}  // namespace shardfft
