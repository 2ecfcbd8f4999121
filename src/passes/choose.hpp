// Which passes a transform of a file is made in, and their tiles: as few and as long reads and writes as memory allows.
#pragma once

#include <optional>
#include <vector>

#include "passes/asked.hpp"
#include "passes/pass.hpp"

namespace shardfft::files {

/// What a plan of one tile is asked: along its axes as the whole array, of the extents of the tile along the others.
[[nodiscard]] Problem tile_problem(const FileTransform& transform, const Pass& pass, const Shape& tile_in);

/// Arrays that hold tiles: while one is transformed, the next one is read and the one before is written.
struct Ring {
  Index before = 0, after = 0;              ///< arrays of each kind; in place, `before` serves for both
  Index bytes_before = 0, bytes_after = 0;  ///< of one: the largest tile
  Index second = 0, bytes_spectrum = 0;     ///< where two arrays meet: of the second one, and its spectrum
  [[nodiscard]] Index bytes() const;
};
/// What tiles of the second array go through in the pass in which the arrays meet.
[[nodiscard]] Pass second_of(const FileTransform& transform, const Pass& meeting);
[[nodiscard]] Ring ring_of(const FileTransform& transform, const Pass& pass);

/// The cheapest passes whose rings have at most so many bytes; none where there are none. Every tile has as many
/// pencils, 8 of them or all, as decide in which way a length is computed (docs/decisions/019). Source: a shortest
/// path, as between layouts.
[[nodiscard]] std::optional<std::vector<Pass>> choose_passes(const FileTransform& transform, Index bytes);

/// Bytes that all passes read, and write, of files; and calls for that.
struct Moved {
  double read = 0, written = 0, calls = 0;
};
[[nodiscard]] Moved moved_by(const FileTransform& transform, const std::vector<Pass>& passes);

}  // namespace shardfft::files
