// Sweeps that a device does, on arrays in its own memory and on arrays of the host.
#pragma once

#include <memory>

#include "device/codec/device_source.hpp"
#include "device/device.hpp"
#include "device/sweep/device_ffts.hpp"
#include "device/sweep/launches/device_queues.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

/// What the device sweeps of a plan have in common.
struct DeviceSweeps {
  DeviceContext on{};
  std::shared_ptr<DeviceFfts> ffts{};
  std::shared_ptr<DeviceQueues> queues{};  ///< on which tiles take turns
  bool in_place = false;                   ///< the caller's two arrays are the same memory
  bool destroys_input = false;             ///< the caller's input may be overwritten
  bool fused = false;  ///< pencils of sweeps along one axis, of lengths that there are kernels for, are gathered,
                       ///< transformed and scattered by one kernel
};

/// A sweep that only queues its work. bytes_memory() counts every pass, those of the device's library included, over
/// what the device's cache does not hold.
class DeviceSweep : public Sweep {
 public:
  /// Does what run() does, on `queue` instead of the plan's, which may be captured: nothing is decoded.
  virtual void ask(int chunk, const Buffers& buffers, std::byte* scratch, Queue& queue) const = 0;
  [[nodiscard]] virtual bool is_fused() const = 0;            ///< one kernel gathers, transforms and scatters
  [[nodiscard]] virtual Index tiles_as_they_lie() const = 0;  ///< are transformed in place, without gather and scatter
  [[nodiscard]] std::string about() const final;

 protected:
  explicit DeviceSweep(const DevicePlanes& planes) : planes_(planes) {}
  [[nodiscard]] virtual bool decodes_to_tiles() const { return false; }  ///< straight, without planes
  DevicePlanes planes_;
};

/// Bytes of a tile where nobody says otherwise, on a device with so much cache (0: unknown): a sixth of it, since what
/// is read, what is written and the library's work memory are in there together, and much of it is never a tile's own.
[[nodiscard]] std::size_t device_tile_bytes(std::size_t cache_bytes);

/// Elements of one tile of this sweep.
[[nodiscard]] Index elements_of_tile(const SweepSpec& spec, const Device& device);

/// Patches are memory that the device reaches. Tiles are gathered by moves, transformed by the device's library,
/// scattered by moves that scale, one after the other on a queue; where the data lies as the library
/// takes it, or wants to leave it, there is nothing to gather or scatter. Then too it goes tile by tile where the
/// library makes several passes or something scales: all but the first pass find the tile in the device's cache. 1 to 3
/// axes, or none; `planes` instead of sources and sinks of the host.
[[nodiscard]] std::unique_ptr<DeviceSweep> make_device_sweep(SweepSpec spec, const DeviceSweeps& with,
                                                             const DevicePlanes& planes = {});
/// One with an operator: tile by tile a sweep before it, and one behind it. The same as make_device_sweep, which calls
/// it.
[[nodiscard]] std::unique_ptr<DeviceSweep> make_operated_sweep(SweepSpec spec, const DeviceSweeps& with,
                                                               const DevicePlanes& planes);

}  // namespace shardfft
