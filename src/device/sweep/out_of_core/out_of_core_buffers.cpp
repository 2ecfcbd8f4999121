#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "device/sweep/out_of_core/out_of_core_sweep.hpp"
#include "shardfft/error.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft {
OutOfCoreBuffers::OutOfCoreBuffers(std::shared_ptr<Device> device, int streams)
    : device_(std::move(device)),
      driver_(find_driver(device_->space())),
      ffts_(*device_),
      in_(device_->make_queue()),
      run_(device_->make_queue()),
      out_(device_->make_queue()),
      slots_(static_cast<std::size_t>(streams)) {
  for (TileSlot& slot : slots_) {
    for (auto* event : {&slot.comes, &slot.came, &slot.begins, &slot.done, &slot.leaves, &slot.left})
      *event = device_->make_timed_event();
  }
}

OutOfCoreBuffers::~OutOfCoreBuffers() { unpin(); }

std::shared_ptr<std::byte> OutOfCoreBuffers::make_array(const std::shared_ptr<OutOfCoreBuffers>& out_of_core,
                                                        std::size_t bytes) {
  std::byte* memory = out_of_core->device_->allocate_pinned(bytes, "an array");
  std::memset(memory, 0, bytes);
  {
    const std::lock_guard guard(out_of_core->lock_);
    out_of_core->ranges_.push_back({memory, bytes});
  }
  return {memory, [out_of_core](std::byte* p) {
            {
              const std::lock_guard guard(out_of_core->lock_);
              std::erase_if(out_of_core->ranges_, [&](const Range& r) { return r.start == p; });
            }
            out_of_core->device_->free_pinned(p);
          }};
}

void OutOfCoreBuffers::pin(const std::byte* memory, std::size_t bytes) {
  if (bytes == 0 || is_pinned(memory, bytes) || !device_->pin(const_cast<std::byte*>(memory), bytes)) return;
  const std::lock_guard guard(lock_);
  ranges_.push_back({memory, bytes, true});
}

// Work that was asked for uses the memory: it ends first, also where an error cut a run short.
void OutOfCoreBuffers::unpin() {
  for (Queue* queue : {in_.get(), run_.get(), out_.get()}) queue->finish();
  const std::lock_guard guard(lock_);
  std::erase_if(ranges_, [&](const Range& r) {
    if (r.ours) device_->unpin(const_cast<std::byte*>(r.start));
    return r.ours;
  });
}

void OutOfCoreBuffers::use_callers(std::size_t end, const std::byte* memory, std::size_t bytes) {
  callers_[end] = {};
  if (bytes == 0 || is_pinned(memory, bytes)) return;
  const auto driver_pinned = [&](const std::byte* byte) { return driver_->points_to(byte).pinned; };
  if (driver_pinned(memory) && driver_pinned(memory + bytes - 1)) callers_[end] = {memory, bytes};
}

bool OutOfCoreBuffers::is_pinned(const std::byte* memory, std::size_t bytes) const {
  const auto holds = [&](const Range& r) { return memory >= r.start && memory + bytes <= r.start + r.bytes; };
  if (std::ranges::any_of(callers_, holds)) return true;
  const std::lock_guard guard(lock_);
  return std::ranges::any_of(ranges_, holds);
}

void OutOfCoreBuffers::need(const TileSizes& sizes) {
  sizes_.in = std::max(sizes_.in, round_up(sizes.in, device_line));
  sizes_.work = std::max(sizes_.work, round_up(sizes.work, device_line));
  sizes_.other = std::max(sizes_.other, round_up(sizes.other, device_line));
  sizes_.out = std::max(sizes_.out, round_up(sizes.out, device_line));
  sizes_.wide = std::max(sizes_.wide, round_up(sizes.wide, device_line));
  sizes_.tiles = std::max(sizes_.tiles, sizes.tiles);
}

std::size_t OutOfCoreBuffers::device_bytes() const {
  return pinned_bytes() == 0
             ? 0
             : pinned_bytes() + sizes_.work + sizes_.other + sizes_.wide + round_up(ffts_.work_bytes(), device_line);
}

void OutOfCoreBuffers::take() {
  if (pinned_bytes() == 0) return;
  try {
    device_memory_ = DeviceMemory(device_, device_bytes(), "the tiles of arrays that go through it");
    pinned_ = DeviceMemory(device_, pinned_bytes(), "the tiles of arrays that go through a device", MemoryKind::pinned);
  } catch (const Error& e) {
    if (e.status() != Status::out_of_memory) throw;
    throw Error(Status::out_of_memory,
                fmt::format("{} (these are: make the tiles smaller with the options tile and fuse)", e.what()));
  }
  std::byte *device = device_memory_.data(), *host = pinned_.data();
  for (TileSlot& slot : std::span(slots_).first(used_slots())) {
    slot.device_in = device;
    slot.device_out = device + sizes_.in;
    slot.host_in = host;
    slot.host_out = host + sizes_.in;
    device += sizes_.in + sizes_.out;
    host += sizes_.in + sizes_.out;
  }
  work_ = device;
  other_ = device + sizes_.work;
  wide_ = other_ + sizes_.other;
  library_ = wide_ + sizes_.wide;
}

// All places together take an eighth of what is free, and are long enough for the link.
std::size_t out_of_core_tile_bytes(std::size_t free_bytes, int streams) {
  constexpr std::size_t most = 64 << 20, least = 1 << 16;
  return std::clamp(free_bytes / static_cast<std::size_t>(8 * tiles_on_device(streams)), least, most);
}

Index OutOfCoreBuffers::elements_of_tile(Scalar scalar) const {
  return static_cast<Index>(out_of_core_tile_bytes(device_->facts().free_bytes, static_cast<int>(slots_.size())) /
                            (2 * size_of(scalar)));
}

}  // namespace shardfft
