#include "device/emulated/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "device/emulated/variables.hpp"

namespace shardfft::emulated {
namespace {

[[nodiscard]] std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
[[nodiscard]] std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

}  // namespace

std::byte* Regions::allocate(std::size_t bytes, int device) {
  constexpr std::size_t filled = 16 << 20;
  const std::size_t mapped = whole_pages(std::max<std::size_t>(bytes, 1)) + page_bytes();
  void* at = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  mprotect(static_cast<std::byte*>(at) + (mapped - page_bytes()), page_bytes(), PROT_NONE);
  std::memset(at, 0xff, std::min(bytes, filled));
  std::lock_guard lock(mutex_);
  auto* start = static_cast<std::byte*>(at);
  regions_[start] = {.start = start, .bytes = bytes, .mapped = mapped, .device = device};
  any_.store(true, std::memory_order_release);
  return start;
}

bool Regions::free(std::byte* memory) {
  std::lock_guard lock(mutex_);
  const auto found = regions_.find(memory);
  if (found == regions_.end() || found->second.freed || found->second.mapped == 0) return false;
  Region& region = found->second;
  mmap(region.start, region.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  region.freed = true;
  freed_.push_back(memory);
  if (freed_.size() > most_freed) {
    const auto oldest = regions_.find(freed_.front());
    munmap(oldest->second.start, oldest->second.mapped);
    regions_.erase(oldest);
    freed_.pop_front();
  }
  return true;
}

bool Regions::pin(std::byte* memory, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  const auto next = regions_.lower_bound(memory);
  const bool meets = holder(memory) != regions_.end() || (next != regions_.end() && next->first < memory + bytes);
  if (meets || bytes == 0 || !memory) return false;
  regions_[memory] = {.start = memory, .bytes = bytes};
  any_.store(true, std::memory_order_release);
  return true;
}

bool Regions::unpin(std::byte* memory) {
  std::lock_guard lock(mutex_);
  const auto found = regions_.find(memory);
  if (found == regions_.end() || found->second.mapped != 0) return false;
  unsigned char in_core = 0;
  std::byte* const page = memory - reinterpret_cast<std::uintptr_t>(memory) % page_bytes();
  const bool mapped = ::mincore(page, 1, &in_core) == 0;
  regions_.erase(found);
  return mapped;
}

Regions::Map::const_iterator Regions::holder(const std::byte* memory) const {
  auto after = regions_.upper_bound(memory);
  if (after == regions_.begin()) return regions_.end();
  const Region& region = (--after)->second;
  return memory < region.start + std::max(region.mapped, region.bytes) ? after : regions_.end();
}

std::optional<Region> Regions::find(const std::byte* memory) const {
  if (!any()) return std::nullopt;
  std::lock_guard lock(mutex_);
  const auto found = holder(memory);
  return found == regions_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t Regions::used(int device) const {
  std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [start, region] : regions_)
    if (region.device == device && !region.freed) bytes += region.bytes;
  return bytes;
}

Regions& regions() {
  static auto* all = new Regions;  // lives for ever: devices do
  return *all;
}

std::size_t bytes_of_a_device() { return number_from("SHARDFFT_EMULATED_BYTES", std::size_t{1} << 30); }

}  // namespace shardfft::emulated
