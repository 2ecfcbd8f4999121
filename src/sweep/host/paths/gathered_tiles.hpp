// Tiles of any places: gathered, transformed kernel after kernel, scattered.
#pragma once

#include "support/memory/unset_array.hpp"
#include "sweep/host/paths/tile_transfer.hpp"

namespace shardfft {

class GatheredTiles final : public TilePath {
 public:
  explicit GatheredTiles(const TileAxis& axis) : axis_(axis), transfer_(axis) {}
  [[nodiscard]] bool run(const TileInMemory& tile, std::byte* scratch, const TileRun& how,
                         double& norm2) const override;
  [[nodiscard]] std::optional<bool> record(const TileInMemory& tile, RecordedTiles& recorded) const override;
  void replay(std::span<const RecordedTile> tiles, const RecordedTiles::Replay& run, std::byte* scratch,
              double scale) const override;

 private:
  using Results = UnsetArray<std::byte*, TileAxis::most_kernels>;
  void transform(Index pencils, std::byte* scratch, Results& results) const;
  /// Weighs elements in the kernels' tiles: tile(number of the kernel).
  template <class Tile>
  void weigh(const TilePencils& p, const TileFormat& format, double factor, Tile tile) const;
  [[nodiscard]] double squares_of(Index pencils, const Results& results) const;

  const TileAxis& axis_;
  TileTransfer transfer_;
};

}  // namespace shardfft
