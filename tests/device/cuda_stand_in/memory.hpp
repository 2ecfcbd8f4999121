// Memory of what stands for CUDA, by the address that the caller got.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace shardfft::testing {

using Byte = unsigned char;
constexpr int devices = 2;
constexpr std::size_t page = 4096, device_bytes = std::size_t{1} << 30;

/// Says why and ends the program.
[[noreturn]] void stop(const char* why);

struct Allocation {
  std::size_t bytes, mapped;  ///< asked for; whole pages, and the one without access
  int device;
  void* start;
};

struct Allocations {
  std::map<const Byte*, Allocation> of_devices{}, pinned{};
  std::size_t used[devices] = {};
  std::recursive_mutex lock{};
  int open = 0;

  /// The allocation of `all` that holds the address; nullptr: none.
  static const std::pair<const Byte* const, Allocation>* find(const std::map<const Byte*, Allocation>& all,
                                                              const void* address);
  void protect(int access);
};
Allocations& allocations();
using Locked = std::lock_guard<std::recursive_mutex>;

/// A place of `bytes` that ends, but for 256 bytes of alignment, where a page without access begins.
Allocation map_block(std::size_t bytes, int device);

}  // namespace shardfft::testing
