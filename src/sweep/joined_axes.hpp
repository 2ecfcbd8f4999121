// Axes that go on in each other in memory are one axis.
#pragma once

#include <optional>

#include "sweep/sweep.hpp"

namespace shardfft {

/// The sweep over an array of fewer axes. Two neighbouring axes without transforms become one if the second one
/// continues in the first in every patch. A tile's pencils are then neighbours beyond the end of a row. Boxes and
/// patches must be whole along the second axis.
[[nodiscard]] SweepSpec with_joined_axes(SweepSpec spec);

/// Joins a transformed axis and a short last one that is not transformed, if both are rows of memory in every patch:
/// fields whose components lie beside each other. The joined axis has a kernel of its own. Its pencils are whole rows;
/// eight fill a tile (sweep/host/interleaved_kernel.hpp). With too few rows the sweep stays unchanged.
[[nodiscard]] SweepSpec with_interleaved_rows(SweepSpec spec);

/// Chunks and `to` of a sweep along one axis, over fewer axes. Needs a last axis that continues in those before it in
/// what is stored, but not in what is read (rows of windows are padded). `from` is left out. Pencils counted row by row
/// have the same numbers on both sides. So a tile can end where the target's lines do, in any row of the source.
/// Nothing if no axes join, or if rows have fewer than `pencils` pencils. The swept axis keeps its number.
[[nodiscard]] std::optional<SweepSpec> stored_with_joined_axes(SweepSpec spec, int pencils);

}  // namespace shardfft
