// Sweeps that a device does, on arrays in its own memory and on arrays of the host.
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

/// Transforms that were made for one device; the sweeps of a plan share them, since they run one after the other.
class DeviceFfts {
 public:
  explicit DeviceFfts(Device& device) : device_(device) {}
  [[nodiscard]] const Fft& get(const FftSpec& spec);
  /// Of all that were made: what a queue needs to run any one of them.
  [[nodiscard]] std::size_t work_bytes() const { return work_bytes_; }

 private:
  Device& device_;
  std::vector<std::pair<FftSpec, std::unique_ptr<Fft>>> made_{};
  std::size_t work_bytes_ = 0;
};

/// What the device sweeps of a plan have in common.
struct DeviceSweeps {
  DeviceContext on{};
  std::shared_ptr<DeviceFfts> ffts{};
  bool in_place = false;  ///< the caller's two arrays are the same memory
  bool fused = false;     ///< pencils of sweeps along one axis, of lengths that there are kernels for, are gathered,
                          ///< transformed and scattered by one kernel
};

/// Bytes of a tile where nobody says otherwise, on a device with so much cache.
[[nodiscard]] std::size_t device_tile_bytes(std::size_t cache_bytes);

/// Patches are memory that the device reaches. Tiles are gathered by moves, transformed by the device's library,
/// scattered by moves that scale, one after the other on the queue; where the data lies as the library takes it, or
/// wants to leave it, there is nothing to gather or scatter: a transform of all axes of an array is the library's own.
/// 1 to 3 axes, or none; no sources and sinks of the host: see SweepSpec::plane_bytes and device_source.
[[nodiscard]] std::unique_ptr<Sweep> make_device_sweep(SweepSpec spec, const DeviceSweeps& with);

}  // namespace shardfft
