#include "sweep/host/tile_pass.hpp"

#include "sweep/host/paths/contiguous_tiles.hpp"
#include "sweep/host/paths/gathered_tiles.hpp"
#include "sweep/host/paths/row_tiles.hpp"

namespace shardfft {
namespace {

// visit(the tile in memory).
template <class Visit>
auto in_memory(const TileOf& tile, PencilRows& from, PencilRows& to, Visit visit) {
  const TilePencils read{*tile.box, *tile.walk, tile.first, tile.count};
  if (tile.stored == nullptr) return visit(TileInMemory{read, read, from, to});
  const TilePencils stored{tile.stored->box, tile.stored->walk, tile.first, tile.count};
  return visit(TileInMemory{read, stored, from, to});
}

}  // namespace

TilePass::TilePass(Scalar scalar, const SweepAxis& axis, const TileWidth& width)
    : axis_(std::make_unique<TileAxis>(scalar, axis, width.pencils)) {
  if (RowTiles::suits(*axis_, width.two_in_row)) paths_.push_back(std::make_unique<RowTiles>(*axis_));
  if (ContiguousTiles::suits(*axis_)) paths_.push_back(std::make_unique<ContiguousTiles>(*axis_));
  paths_.push_back(std::make_unique<GatheredTiles>(*axis_));
}

std::size_t TilePass::buffer_bytes() const { return static_cast<std::size_t>(axis_->kernels) * 2 * axis_->half; }

Box TilePass::after(Box box) const {
  box.hi[axis()] = box.lo[axis()] + length_out();
  return box;
}

double TilePass::run(const TileOf& tile, PencilRows& from, PencilRows& to, std::byte* scratch,
                     const TileRun& how) const {
  return in_memory(tile, from, to, [&](const TileInMemory& here) {
    double norm2 = 0;
    for (const auto& path : paths_)
      if (path->run(here, scratch, how, norm2)) break;
    return norm2;
  });
}

bool TilePass::record(const TileOf& tile, PencilRows& from, PencilRows& to, std::size_t pass,
                      RecordedTiles& recorded) const {
  return in_memory(tile, from, to, [&](const TileInMemory& here) {
    recorded.begin_tile(pass, tile.count);
    for (const auto& path : paths_) {
      recorded.takes_path(path.get());
      if (const std::optional<bool> done = path->record(here, recorded)) return *done;
    }
    return false;
  });
}

}  // namespace shardfft
