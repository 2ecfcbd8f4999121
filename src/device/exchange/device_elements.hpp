// Boxes of a rank's arrays as tables of a device say them.
#pragma once

#include <vector>

#include "device/blocks.hpp"
#include "grid/patch_index.hpp"

namespace shardfft {

/// The patch that holds the whole box; throws Error(internal) when none does.
[[nodiscard]] const Patch& patch_with(const PatchIndex& patches, const Box& box);

/// The elements of a box in that order of axes, slowest first. `box` lies in the patch and has less than 2^31 elements.
[[nodiscard]] BlockSegment elements_of(const Box& box, const Patch& patch, const std::vector<int>& order);

}  // namespace shardfft
