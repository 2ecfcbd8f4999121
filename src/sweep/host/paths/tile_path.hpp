// The paths of a tile from memory through the kernel and back. All give the same bits.
#pragma once

#include <optional>
#include <span>

#include "sweep/host/recorded_tiles.hpp"
#include "sweep/host/rows.hpp"
#include "sweep/host/whole_lines.hpp"
#include "sweep/pencils.hpp"

namespace shardfft {

/// Pencils first .. first + count - 1 of a box as `walk` counts them, and the place of the first one.
struct TilePencils {
  const Box& box;
  const Walk& walk;
  Index first, count;
  PencilAt begin = pencil_at(box, walk, first);
};

/// A tile where it is read and where it is stored, with the rows that hold it there.
struct TileInMemory {
  const TilePencils &read, &stored;
  PencilRows &from, &to;
};

/// What a run does beside the transform of a tile.
struct TileRun {
  double scale = 1;
  /// With AdjointWeights, but for the one on all results, which is part of `scale`.
  bool adjoint = false;
  /// Stores bypass the cache where whole lines are written; lines that were begun wait here for the next tile, at the
  /// end for the caller to store. nullptr: all stores go through the cache.
  PartialLines* past_cache = nullptr;
  /// Sums up the squares of the results before they are scaled.
  bool measures_norm = false;
  [[nodiscard]] bool non_temporal() const { return past_cache != nullptr; }
};

class TilePath {
 public:
  virtual ~TilePath() = default;
  /// Does the tile and adds to `norm2` the sum of squares that `how` asks for. False, with nothing done, if the path
  /// cannot take the tile. Not a std::optional: its wide copy would wait for the stores of the tile.
  [[nodiscard]] virtual bool run(const TileInMemory& tile, std::byte* scratch, const TileRun& how,
                                 double& norm2) const = 0;
  /// Adds to the last recorded tile what run() would do. False if that cannot be written down; nothing, with nothing
  /// added, if the path cannot take the tile.
  [[nodiscard]] virtual std::optional<bool> record(const TileInMemory& tile, RecordedTiles& recorded) const = 0;
  /// Does tiles of one pass that this path recorded.
  virtual void replay(std::span<const RecordedTile> tiles, const RecordedTiles::Replay& run, std::byte* scratch,
                      double scale) const = 0;
};

}  // namespace shardfft
