// Pencils of a sweep along one axis as a fused kernel takes them: in families that are cut alike at both ends.
#pragma once

#include <optional>
#include <vector>

#include "device/fused.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

/// `spec` has one axis.
[[nodiscard]] FusedSpec fused_spec(const SweepSpec& spec);

/// Families of all pencils of the boxes, which are in the input's index space. Nothing if the patches of an end do not
/// hold every element exactly once, unchanged.
[[nodiscard]] std::optional<std::vector<PencilFamily>> fused_families(const SweepSpec& spec,
                                                                      const std::vector<Box>& boxes);

}  // namespace shardfft
