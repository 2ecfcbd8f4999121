// The shares of one chunk of a sweep that threads can take: tiles of pencils, planes, or boxes to be moved.
#pragma once

#include <optional>
#include <vector>

#include "grid/cells.hpp"
#include "sweep/host/row_starts.hpp"
#include "sweep/host/tile_pass.hpp"

namespace shardfft {

class Units {
 public:
  /// `stored`: what a sweep along one axis stores over fewer axes than it reads (joined_axes.hpp), or nullptr. Outlives
  /// this, as `spec` does.
  Units(std::size_t chunk, const SweepSpec& spec, const std::vector<TilePass>& passes, const SweepSpec* stored);

  [[nodiscard]] Index count() const { return total_; }
  [[nodiscard]] Index elements() const { return elements_; }
  [[nodiscard]] int threads() const { return threads_; }         ///< that have enough to do
  [[nodiscard]] TileOf tile(Index u, const Bases& bases) const;  ///< one-axis sweeps that are not staged
  [[nodiscard]] Box unit(Index u) const;                         ///< other sweeps: the box to do at once
  /// Componentwise maximum of `so_far` and the shape of any unit.
  [[nodiscard]] Shape largest_unit(Shape so_far) const;

 private:
  struct UnitsOfBox {
    Box box;
    Walk walk{};
    std::optional<WalkedBox> stored{};
    // What is cut into tiles, along which walk.
    [[nodiscard]] const Box& cut_box() const { return stored ? stored->box : box; }
    [[nodiscard]] const Walk& cut_walk() const { return stored ? stored->walk : walk; }
    RowStarts starts{};            // one-axis sweeps
    std::vector<Tiling> tiling{};  // one-axis sweeps: exactly one
    Coord steps{};                 // other sweeps: extent of a unit along each axis
    std::optional<Cells> cells{};  // staged sweeps: the units
    Index first = 0;               // number of its first unit
  };
  [[nodiscard]] const UnitsOfBox& part_of(Index u) const;

  std::vector<UnitsOfBox> parts_{};
  Index total_ = 0, elements_ = 0;
  int threads_ = 1;
};

}  // namespace shardfft
