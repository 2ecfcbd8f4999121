// What sweeps and exchanges cost on a device, in seconds, for the rank that has most to do. A pure function of what was
// measured.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "device/model/device_machine.hpp"
#include "planner/decide/rank_device.hpp"
#include "planner/model/model.hpp"

namespace shardfft {

/// How messages get from the memory of one device to another's.
enum class DeviceWay {
  kernel,   ///< the scatter stores there
  copy,     ///< copies between devices
  staged,   ///< of one direction through the host
  host,     ///< through the hosts
  library,  ///< somebody else's: NCCL, or an MPI that takes addresses of devices
  any       ///< the best of those that these ranks could have: for plans that are only looked at
};
/// The way of a transport for memory of devices. An unknown one counts as foreign.
[[nodiscard]] DeviceWay way_of(std::string_view transport);

struct DeviceModel {
  DeviceMachine machine{};
  Model host{};  ///< what hosts do meanwhile; its ranks, sharers, scalar and tuning are those of the plan
  DeviceWay way = DeviceWay::any;
  bool out_of_core = false;  ///< arrays of the host go through the device; exchanges are the host's
  int dims = 3;              ///< of the array
  double tile_bytes = 64 << 20;
  double scaled_share = 0;  ///< of the two directions: 0, a half or 1

  /// All axes of one sweep. `bytes`: of an element. `as_it_comes`: it reads the caller's array.
  [[nodiscard]] double sweep(std::span<const AxisTransform> axes, double elements, double bytes,
                             bool as_it_comes) const;
  /// From memory to memory without a transform.
  [[nodiscard]] double copy(double elements, double bytes) const;
  /// From one layout to another.
  [[nodiscard]] double exchange(const Layout& from, const Layout& to, double bytes) const;
  [[nodiscard]] double exchange(const Sent& sent) const;

  /// Ranks that take turns on one device.
  [[nodiscard]] int sharers() const { return (host.sharers + machine.devices - 1) / machine.devices; }
  /// One kernel gathers, transforms and scatters.
  [[nodiscard]] bool fused() const { return host.tuning.engine == "fused"; }

 private:
  struct MoveRates {
    bool gathers = true, scatters = true;
    bool cached = false;  ///< its tiles, on the device: further passes are quicker
    double bytes_per_s = 0;
  };
  [[nodiscard]] MoveRates moves_of(std::span<const AxisTransform> axes, bool as_it_comes) const;
  [[nodiscard]] double in_memory(std::span<const AxisTransform> axes, double bytes, double tiles,
                                 const MoveRates& moves) const;
  [[nodiscard]] double through(const Sent& sent, DeviceWay by) const;
  [[nodiscard]] double through_host(const Sent& sent) const;
  [[nodiscard]] double hidden_by_chunks(double seconds) const;
};

/// The model behind the planner's seam.
class ModelCosts final : public DeviceCosts {
 public:
  explicit ModelCosts(DeviceModel model) : model_(std::move(model)) {}
  double sweep(std::span<const AxisTransform> axes, double elements, double bytes, bool as_it_comes) const override {
    return model_.sweep(axes, elements, bytes, as_it_comes);
  }
  double copy(double elements, double bytes) const override { return model_.copy(elements, bytes); }
  double exchange(const Layout& from, const Layout& to, double bytes) const override {
    return model_.exchange(from, to, bytes);
  }

 private:
  DeviceModel model_;
};

}  // namespace shardfft
