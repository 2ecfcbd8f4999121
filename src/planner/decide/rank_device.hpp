// The seam to a rank's device, as the planner and plans see it. src/device implements it; modules of the host include
// nothing else about devices.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/axis_transform.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/programs/inventory.hpp"
#include "shardfft/programs/machine.hpp"

namespace shardfft {

class Device;
struct DeviceContext;
struct Model;
struct Recipe;

/// Which memory an address belongs to.
struct MemoryOwner {
  std::string_view space = "host";
  int number = 0;  ///< of the device
  [[nodiscard]] bool is_host() const { return space == "host"; }
  friend bool operator==(const MemoryOwner&, const MemoryOwner&) = default;
};
/// The host owns what no device does. A vendor's driver is asked only if this process has used one of its devices, or
/// somebody else in it may have. Allocates nothing.
[[nodiscard]] MemoryOwner owner_of(const void* memory);
/// Whether memory of some device may exist in this process; else the host owns all.
[[nodiscard]] bool devices_may_own_memory();

/// Seconds of steps on a device that was measured, for the rank that has most to do.
class DeviceCosts {
 public:
  virtual ~DeviceCosts() = default;
  /// All axes of one sweep. `bytes`: of an element. `as_it_comes`: it reads the caller's array.
  [[nodiscard]] virtual double sweep(std::span<const AxisTransform> axes, double elements, double bytes,
                                     bool as_it_comes) const = 0;
  /// From memory to memory without a transform.
  [[nodiscard]] virtual double copy(double elements, double bytes) const = 0;
  [[nodiscard]] virtual double exchange(const Layout& from, const Layout& to, double bytes) const = 0;
};

/// The device of this rank. Recipes that differ in other choices share it.
class RankDevice {
 public:
  virtual ~RankDevice() = default;
  [[nodiscard]] virtual std::string_view space() const = 0;  ///< "cuda"
  [[nodiscard]] virtual int number() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;  ///< "NVIDIA H200"
  [[nodiscard]] virtual const std::shared_ptr<Device>& device() const = 0;
  /// A context with a queue of its own, for Traffic::on.
  [[nodiscard]] virtual std::shared_ptr<const DeviceContext> make_context() const = 0;

  /// Collective. Reads what was measured of this kind of device before, and what is free on the fullest device; the
  /// same on all ranks. `name`: Options::device.
  virtual void know(const Comm& comm, const std::string& name) = 0;
  /// Collective. Measures rank 0's device and keeps that for later runs. Returns on rank 0 why it could not be kept.
  [[nodiscard]] virtual std::string measure(const Comm& comm) = 0;
  [[nodiscard]] virtual bool is_measured() const = 0;
  /// What was measured, by name; empty if nothing was.
  [[nodiscard]] virtual std::vector<std::pair<std::string, double>> numbers() const = 0;
  [[nodiscard]] virtual std::string times() const = 0;  ///< the same in one line, for people

  /// Tiles under way at once. The recipe's encoding is known.
  [[nodiscard]] virtual int streams(const Recipe& recipe) const = 0;
  /// Bytes of all axes of one sweep, if they are transformed one plane or volume after the other.
  [[nodiscard]] virtual Index room(const Recipe& recipe, const Comm& comm) const = 0;
  /// Whether a sweep of the last two axes and one of the others are two passes over the device's memory, while one
  /// sweep of three axes would be three: planes are tiles that stay in the device's cache, and volumes are not.
  [[nodiscard]] virtual bool takes_two_passes(const Recipe& recipe) const = 0;
  /// nullptr if the device was not measured. `host`: the model of the recipe's other choices.
  [[nodiscard]] virtual std::unique_ptr<DeviceCosts> costs(const Recipe& recipe, const Model& host) const = 0;
  /// Chooses for arrays on a measured device what nobody named: the order of transports, from cheap to dear for an
  /// exchange of the whole array among all ranks, and the number of chunks that suits the first one.
  virtual void choose_ways(Recipe& recipe, const Model& host) const = 0;
};

/// "cuda", "cuda:1"; without a number, the ranks of a node share the devices out. Throws Error(invalid_argument) for a
/// name that makes no sense, Error(unsupported) if there is no such device.
[[nodiscard]] std::shared_ptr<RankDevice> find_rank_device(std::string_view name, int rank_on_node);

/// Kinds of devices that were compiled in: "cuda".
[[nodiscard]] std::vector<std::string> device_spaces();
/// The name of this space's devices in wisdom, "NVIDIA H200, CUDA 13.0, cuFFT 12.0"; empty if there is none here.
[[nodiscard]] std::string device_kind(std::string_view space);
/// Versions of what moves and transforms there: "CUDA 13.0, cuFFT 12.0".
[[nodiscard]] std::string device_library(std::string_view space);
/// Whether engine "fused" exists there: kernels that gather, transform and scatter.
[[nodiscard]] bool has_fused_kernels(std::string_view space);
/// Names of the codecs that devices have.
[[nodiscard]] std::vector<std::string_view> codecs_on_devices();
/// Why there is no device of this space here; empty if there is one.
[[nodiscard]] std::string why_none_of(std::string_view space);
[[nodiscard]] std::vector<FoundDevice> found_devices(std::string_view space);
/// Measures every pair of devices of a space, and each device with pinned memory of the host.
[[nodiscard]] std::vector<PairRates> pairs_of(std::string_view space);

}  // namespace shardfft
