// One transform over the tiles of a box: each tile takes the first path that its places in memory allow.
#pragma once

#include <memory>
#include <vector>

#include "sweep/host/paths/tile_axis.hpp"
#include "sweep/host/paths/tile_path.hpp"
#include "sweep/host/tile_width.hpp"
#include "sweep/host/tiling.hpp"

namespace shardfft {

/// One axis of a sweep, ready to run on tiles.
class TilePass {
 public:
  TilePass(Scalar scalar, const SweepAxis& axis, const TileWidth& width);

  [[nodiscard]] int axis() const { return axis_->axis; }
  [[nodiscard]] double scale(bool adjoint) const { return axis_->scale * (adjoint ? axis_->weights.all : 1); }
  [[nodiscard]] bool weighs() const { return axis_->weighs(); }
  [[nodiscard]] int pencils() const { return axis_->kernels * axis_->own; }
  [[nodiscard]] int kernel_pencils() const { return axis_->own; }
  [[nodiscard]] Index length_out() const { return axis_->kernel->out().length; }
  /// The kernel reads or writes the rows of full tiles of neighbours by itself.
  [[nodiscard]] bool reaches_rows() const { return axis_->reads_rows() || axis_->kernel->writes_rows(); }
  /// The plane between the axes of a sweep is larger than a core's own cache: in planes, too, a tile prefetches the
  /// lines of the next one.
  void prefetch_in_planes() { axis_->prefetches_in_planes = true; }
  [[nodiscard]] std::size_t buffer_bytes() const;  ///< of scratch for one tile
  [[nodiscard]] Box after(Box box) const;          ///< the box in the output's index space

  /// Returns the sum of squares that `how` asks for, else 0.
  double run(const TileOf& tile, PencilRows& from, PencilRows& to, std::byte* scratch, const TileRun& how) const;

  /// Writes down what run() would do, as pass number `pass`, with `from` and `to` found with RecordedTiles::bases(),
  /// storing through the cache and without a norm. False if that cannot be written down.
  [[nodiscard]] bool record(const TileOf& tile, PencilRows& from, PencilRows& to, std::size_t pass,
                            RecordedTiles& recorded) const;

 private:
  std::unique_ptr<TileAxis> axis_;
  std::vector<std::unique_ptr<const TilePath>> paths_{};  // the fastest first; the last one takes any tile
};

}  // namespace shardfft
