// Memory of the emulated devices: real memory of the host, of which is known whose it is and whether it is still
// there.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace shardfft::emulated {

/// Known memory: of device `device`, or pinned (device -1).
struct Region {
  std::byte* start = nullptr;
  std::size_t bytes = 0, mapped = 0;  ///< as asked for; with the page behind it, 0 for memory of others that was pinned
  int device = -1;
  bool freed = false;
};

/// All known memory of the process. What was freed stays known, and out of reach, for a long while: an address of it is
/// not taken for something else. Safe to call from any thread.
class Regions {
 public:
  /// Whole pages and one behind them that nobody may touch, filled with bytes that make no sensible number (the first
  /// 16 MiB). nullptr when the host has no more.
  [[nodiscard]] std::byte* allocate(std::size_t bytes, int device);
  /// False for memory that was not allocated here or was freed before.
  [[nodiscard]] bool free(std::byte* memory);
  /// Host memory of others; false when it meets memory that is known.
  [[nodiscard]] bool pin(std::byte* memory, std::size_t bytes);
  /// Whether it was pinned, and its first page is there still.
  [[nodiscard]] bool unpin(std::byte* memory);
  [[nodiscard]] bool any() const { return any_.load(std::memory_order_acquire); }  ///< memory was ever known
  /// The region that holds this byte, or the page behind it; freed ones too. Nothing for memory of the host.
  [[nodiscard]] std::optional<Region> find(const std::byte* memory) const;
  /// Bytes of a device that are in use.
  [[nodiscard]] std::size_t used(int device) const;

 private:
  static constexpr std::size_t most_freed = 2048;  // regions: the kernel counts the mappings of a process
  using Map = std::map<const std::byte*, Region>;
  [[nodiscard]] Map::const_iterator holder(const std::byte* memory) const;
  mutable std::mutex mutex_{};
  std::atomic<bool> any_{false};
  Map regions_{};
  std::deque<const std::byte*> freed_{};
};

[[nodiscard]] Regions& regions();

/// Bytes of an emulated device's memory: SHARDFFT_EMULATED_BYTES, or 1 GiB.
[[nodiscard]] std::size_t bytes_of_a_device();

}  // namespace shardfft::emulated
