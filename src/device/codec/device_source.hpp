// What a sweep on a device reads beside its patches: messages that are decoded into its tiles.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "device/moves.hpp"
#include "grid/patch.hpp"

namespace shardfft {

/// A Source for a sweep on a device. It puts its work into the device's queue.
class DeviceSource {
 public:
  /// What it has of one tile.
  class TilePart {
   public:
    virtual ~TilePart() = default;
    virtual void fill(const MoveBases& bases) = 0;
  };
  virtual ~DeviceSource() = default;
  /// Those elements of a tile that it has, to be written to the place that the patch says, which counts from the
  /// scratch, multiplied by these factors. nullptr where what must be decoded together does not end with the tile.
  [[nodiscard]] virtual std::unique_ptr<TilePart> part(const Patch& tile,
                                                       const std::optional<TileTwiddles>& twiddles) = 0;
  /// For sweeps that do without: all that has come, to the planes that its patches lie in.
  virtual void fill_planes() = 0;
};

/// Patches of base `plane`: they count from the sweep's scratch, which begins with so many bytes for them. Whoever
/// fills and reads them does that on the queue, before and after the sweep.
struct DevicePlanes {
  std::size_t bytes = 0;
  /// Fills patches of `from`, or writes to tiles instead if these go by global multiples of SweepSpec::steps; else it
  /// is asked to fill the planes. Not owned; nullptr: nothing is decoded.
  DeviceSource* source = nullptr;
};

}  // namespace shardfft
