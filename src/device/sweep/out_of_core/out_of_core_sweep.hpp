// Sweeps through a device over arrays of the host, which may be larger than the device.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "device/sweep/device_sweep.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// Tiles under way at once, where nobody says otherwise: one comes, one is transformed, one leaves.
inline constexpr int usual_streams = 3;
/// Places of a tile on the device: for each that is under way where it comes and leaves, and two of the transform.
[[nodiscard]] constexpr Index tiles_on_device(int streams) { return 2 * (Index{streams} + 1); }
/// Bytes of a tile where nobody says otherwise, on a device with so much room.
[[nodiscard]] std::size_t out_of_core_tile_bytes(std::size_t free_bytes, int streams);

/// What the out-of-core sweeps of a plan share, since they run one after the other: three queues (in, transform, out),
/// for each of the tiles that are under way at once memory on the device and pinned memory of the host, and what else
/// of the host's memory is pinned.
class OutOfCoreBuffers {
 public:
  /// `streams`: tiles under way at once.
  OutOfCoreBuffers(std::shared_ptr<Device> device, int streams);
  ~OutOfCoreBuffers();
  [[nodiscard]] std::size_t streams() const { return slots_.size(); }

  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] DeviceFfts& ffts() { return ffts_; }
  [[nodiscard]] Queue& in() { return *in_; }
  [[nodiscard]] Queue& run() { return *run_; }
  [[nodiscard]] Queue& out() { return *out_; }

  /// A tile takes so much to come, to lie transformed, to lie otherwise and to leave; and to lie as it is computed
  /// with, where it comes or leaves in a shorter format. So many tiles follow each other.
  struct TileSizes {
    std::size_t in = 0, work = 0, other = 0, out = 0, wide = 0;
    std::size_t tiles = 0;
  };
  void need(const TileSizes& sizes);
  /// Takes the memory. Throws Error(out_of_memory) with what to do about it.
  void take();

  struct TileSlot {
    std::byte *host_in = nullptr, *host_out = nullptr;  // pinned
    std::byte *device_in = nullptr, *device_out = nullptr;
    // Begins to come, and is on the device; begins to be transformed, and is; begins to leave, and is on the host.
    std::unique_ptr<Event> comes{}, came{}, begins{}, done{}, leaves{}, left{};
  };
  [[nodiscard]] TileSlot& slot(Index tile) { return slots_[static_cast<std::size_t>(tile) % slots_.size()]; }
  /// What the last chunk took.
  [[nodiscard]] LinkReport& link() { return link_; }
  [[nodiscard]] std::byte* work() const { return work_; }
  [[nodiscard]] std::byte* other() const { return other_; }
  [[nodiscard]] std::byte* wide() const { return wide_; }
  [[nodiscard]] std::byte* library() const { return library_; }

  /// Memory of the host that the device copies from and to by itself: an array for the caller, zero. Throws
  /// Error(out_of_memory).
  [[nodiscard]] static std::shared_ptr<std::byte> make_array(const std::shared_ptr<OutOfCoreBuffers>& out_of_core,
                                                             std::size_t bytes);
  /// Makes memory that lives as long as this (the inboxes of a plan) such memory, where it can.
  void pin(const std::byte* memory, std::size_t bytes);
  /// The caller's input (0) or output (1) of the run that comes. If the device's driver knows it as pinned, by
  /// whomever, it counts as pinned until this is called again.
  void use_callers(std::size_t end, const std::byte* memory, std::size_t bytes);
  void unpin();  ///< what pin() did, before that memory goes; nothing is under way any more when it returns
  [[nodiscard]] bool is_pinned(const std::byte* memory, std::size_t bytes) const;

  /// Elements of complex numbers of `scalar` that a tile should have at most.
  [[nodiscard]] Index elements_of_tile(Scalar scalar) const;
  /// What take() takes, or took.
  [[nodiscard]] std::size_t device_bytes() const;
  [[nodiscard]] std::size_t pinned_bytes() const { return used_slots() * (sizes_.in + sizes_.out); }

 private:
  // The last ones have no memory where there are fewer tiles.
  [[nodiscard]] std::size_t used_slots() const { return std::min(slots_.size(), sizes_.tiles); }

  std::shared_ptr<Device> device_;
  const DeviceDriver* driver_;
  DeviceFfts ffts_;
  std::unique_ptr<Queue> in_, run_, out_;
  TileSizes sizes_{};
  DeviceMemory device_memory_{}, pinned_{};
  struct Range {
    const std::byte* start = nullptr;
    std::size_t bytes = 0;
    bool ours = false;  ///< to be unpinned
  };
  mutable std::mutex lock_{};  // arrays are given back by any thread
  std::vector<Range> ranges_{};
  std::array<Range, 2> callers_{};
  std::vector<TileSlot> slots_;
  LinkReport link_{};
  std::byte *work_ = nullptr, *other_ = nullptr, *wide_ = nullptr, *library_ = nullptr;
};

/// Patches are memory of the host. A tile is copied to the device, gathered, transformed, scaled and scattered there,
/// and copied back; while one tile is transformed others come and leave, if more than one is under way. The device
/// copies by itself from and to pinned memory (arrays that the plan made, inboxes, what its owner
/// pinned); elsewhere the host's threads copy to and from pinned memory in between. run() returns when all is where it
/// belongs. Ends that are narrow (SweepSpec) are cast on the device. 1 to 3 axes, or none: then the host moves alone.
/// No sources and sinks.
[[nodiscard]] std::unique_ptr<Sweep> make_out_of_core_sweep(SweepSpec spec,
                                                            const std::shared_ptr<OutOfCoreBuffers>& out_of_core);

}  // namespace shardfft
