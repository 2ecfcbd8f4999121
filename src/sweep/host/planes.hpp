// What a sweep keeps in cache of an array: planes, behind the buffers of a tile.
#pragma once

#include <span>
#include <vector>

#include "sweep/host/tile_pass.hpp"

namespace shardfft {

/// Memory of a box in cache.
struct Plane {
  Coord strides{};
  std::size_t bytes = 0, at = 0;  ///< of a worker's scratch

  /// The box that it holds now.
  [[nodiscard]] Patch holding(const Box& box) const {
    return {.box = box, .base = Base::plane, .offset = static_cast<Index>(at), .strides = strides};
  }
  /// Boxes of which it holds some at a time, behind other patches; place() says where they lie.
  [[nodiscard]] std::vector<Patch> beside(std::vector<Patch> others, const std::vector<Box>& boxes) const;
  /// `boxes`: as beside() left them, while it holds `unit`.
  void place(std::span<Patch> boxes, const Box& unit) const;
};

/// All planes of a sweep, one after the other.
struct Planes {
  /// `largest`: extents of the largest unit; none of an empty sweep. `begin`: of the first one in scratch.
  Planes(const SweepSpec& spec, const std::vector<TilePass>& passes, Shape largest, std::size_t begin);
  Planes() = default;

  std::vector<Plane> between{};   ///< fused sweeps: behind each transform but the last one
  std::size_t between_bytes = 0;  ///< of all of them
  Plane coming{}, leaving{};      ///< staged sweeps: from the source, for the sink
  std::size_t stage_bytes = 0;    ///< what source and sink need, behind all planes
  [[nodiscard]] std::size_t bytes() const { return between_bytes + coming.bytes + leaving.bytes + stage_bytes; }

 private:
  void place_between(const SweepSpec& spec, const std::vector<TilePass>& passes, Shape extents, std::size_t begin);
};

}  // namespace shardfft
