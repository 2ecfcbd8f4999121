// Pencils that are contiguous in memory at both ends: the kernel takes them from there, without a tile.
#pragma once

#include <array>
#include <span>

#include "sweep/host/paths/tile_axis.hpp"
#include "sweep/host/paths/tile_path.hpp"

namespace shardfft {

class ContiguousTiles final : public TilePath {
 public:
  [[nodiscard]] static bool suits(const TileAxis& axis) {
    return axis.kernel->takes_contiguous() && !axis.twiddles && !axis.is_chirped() && !axis.order_in && !axis.order_out;
  }
  explicit ContiguousTiles(const TileAxis& axis)
      : axis_(axis), stores_lines_(axis.stored_share() == 1 && axis.kernel->fills_contiguous_vectors()) {}
  [[nodiscard]] bool run(const TileInMemory& tile, std::byte* scratch, const TileRun& how,
                         double& norm2) const override;
  [[nodiscard]] std::optional<bool> record(const TileInMemory& tile, RecordedTiles& recorded) const override;
  void replay(std::span<const RecordedTile> tiles, const RecordedTiles::Replay& run, std::byte* scratch,
              double scale) const override;

 private:
  static constexpr Index most_pencils = 256;
  struct PencilEnds {
    std::array<const std::byte*, most_pencils> from;
    std::array<std::byte*, most_pencils> to;
    Index prefetch_distance = 0;
    bool non_temporal = false;
    bool whole_lines = true;  // are all that is stored of each pencil
  };
  [[nodiscard]] bool find(const TileInMemory& tile, const TileRun& how, PencilEnds& ends) const;
  double transform(const PencilEnds& ends, Index count, std::byte* scratch, const TileRun& how) const;
  void transform(std::span<const ContiguousPencil> pencils, bool whole_lines, std::byte* scratch) const;
  void weigh(std::span<std::byte* const> pencils) const;

  const TileAxis& axis_;
  bool stores_lines_;  // the kernel itself, past the cache
};

}  // namespace shardfft
