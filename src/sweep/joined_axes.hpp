// Axes that go on in each other in memory are one axis.
#pragma once

#include <optional>

#include "sweep/sweep.hpp"

namespace shardfft {

/// The same sweep over an array of fewer axes: two neighbouring axes of which none is transformed become one where the
/// second one goes on in the first in every patch, so that a tile's pencils are neighbours beyond the end of a row.
/// Boxes and patches are all whole along the second one then.
[[nodiscard]] SweepSpec with_joined_axes(SweepSpec spec);

/// The same sweep where a transformed axis is followed by a short last one that is not, and both are rows of memory in
/// every patch: fields whose components lie beside each other. They become one axis with a kernel of its own, whose
/// pencils are whole rows, eight of which fill a tile (sweep/host/interleaved_kernel.hpp). As it is where there are too
/// few rows.
[[nodiscard]] SweepSpec with_interleaved_rows(SweepSpec spec);

/// Of a sweep along one axis: its chunks and `to` over fewer axes, where the last axis of what it stores, contiguous in
/// memory, goes on in those before it while that of what it reads does not (rows of windows are padded). `from` is left
/// out. Pencils counted row by row have the same numbers in both, so that a tile can end where lines of the target do,
/// in whatever row it is read. Nothing where no axes join, or where rows have fewer than `pencils`. The swept axis
/// keeps its number.
[[nodiscard]] std::optional<SweepSpec> stored_with_joined_axes(SweepSpec spec, int pencils);

}  // namespace shardfft
