// A tile between memory and the buffers of its kernels.
#pragma once

#include "sweep/host/paths/tile_axis.hpp"
#include "sweep/host/paths/tile_path.hpp"

namespace shardfft {

/// Gathers and scatters tiles of any places, at once or as they were recorded.
class TileTransfer {
 public:
  explicit TileTransfer(const TileAxis& axis) : axis_(axis) {}

  /// Gathers the pencils and multiplies them by their twiddle factors, or by a chirp.
  void load(const TileInMemory& tile, std::byte* scratch) const;
  void record_load(const TileInMemory& tile, RecordedTiles& recorded) const;
  void replay_load(const RecordedTile& tile, const RecordedTiles::Replay& run, std::byte* scratch) const;

  /// Multiplies results by a chirp, where the axis has one. `p`: the pencils as they were read.
  void chirp_results(const TilePencils& p, std::byte* const* results) const;

  /// Scales and scatters the pencils. `results`: the buffer of each kernel that holds them.
  void store(const TileInMemory& tile, std::byte* const* results, const TileRun& how) const;
  void record_store(const TileInMemory& tile, RecordedTiles& recorded) const;
  void replay_store(const RecordedTile& tile, const RecordedTiles::Replay& run, std::byte* const* results,
                    double scale) const;

 private:
  template <class Move>
  void for_kernels(Index k0, Index v0, const Rectangle<std::byte>& r, Move move) const;
  template <class Multiply>
  void for_products(const TilePencils& p, int split, const CyclicMap& map, Multiply multiply) const;
  template <class Multiply>
  void for_products(const TilePencils& p, Multiply multiply) const;
  template <class Tile>
  void chirp(const TilePencils& p, const RowChirp& factors, const TileFormat& format, Tile tile) const;
  void multiply(const RecordedProduct& product, std::byte* scratch) const;
  void store_in_lines(Index k0, Index v0, const Rectangle<std::byte>& target, std::byte* const* results, double scale,
                      PartialLines& partial) const;

  const TileAxis& axis_;
};

}  // namespace shardfft
