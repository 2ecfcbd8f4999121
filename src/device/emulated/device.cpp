#include "device/emulated/device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "device/emulated/memory.hpp"
#include "device/emulated/variables.hpp"
#include "shardfft/error.hpp"

namespace shardfft::emulated {
namespace {

[[noreturn]] void no_names() {
  throw Error(Status::unsupported,
              "memory and events of emulated devices have no names for other processes; use threads as ranks, or a "
              "transport through the host");
}

constexpr const char* allocated = "allocated and not freed yet";

// What frees cannot throw; a GPU's driver would go on with a broken heap.
void end_unless(bool done, const char* what, const char* rule, const void* memory) {
  if (done) return;
  std::fprintf(stderr, "shardfft: emulated device: %s gets what was %s; got %p\n", what, rule, memory);
  std::abort();
}

// Work that uses the memory finds out before it begins, not when half of it is done.
[[nodiscard]] bool free_between_work(std::byte* memory) {
  return scheduler().between_work([=] { return regions().free(memory); });
}

}  // namespace

EmulatedDevice::EmulatedDevice(int number) : number_(number), default_line_(scheduler().make_line()) {
  reached_[static_cast<std::size_t>(number)] = true;
}

DeviceFacts EmulatedDevice::facts() const {
  const std::size_t bytes = bytes_of_a_device(), used = regions().used(number_);
  return {.name = "emulated device in host memory",
          .memory_bytes = bytes,
          .free_bytes = bytes > used ? bytes - used : 0,
          .cache_bytes = 1 << 20,
          .multiprocessors = 4,
          .driver = "emulated"};
}

std::byte* EmulatedDevice::allocate(std::size_t bytes, const char* purpose) {
  std::lock_guard lock(allocating_);
  const std::size_t left = facts().free_bytes;
  std::byte* memory = bytes <= left ? regions().allocate(bytes, number_) : nullptr;
  if (!memory)
    throw Error(
        Status::out_of_memory,
        fmt::format("{}: emulated device {} has no {} bytes, {} are free; SHARDFFT_EMULATED_BYTES says how many it has",
                    purpose, number_, bytes, left));
  return memory;
}

void EmulatedDevice::free(std::byte* memory) noexcept {
  end_unless(!memory || free_between_work(memory), "free()", allocated, memory);
}

std::byte* EmulatedDevice::allocate_pinned(std::size_t bytes, const char* purpose) {
  if (std::byte* memory = regions().allocate(bytes, -1)) return memory;
  throw Error(Status::out_of_memory, fmt::format("{}: the host has no {} bytes of pinned memory", purpose, bytes));
}

void EmulatedDevice::free_pinned(std::byte* memory) noexcept {
  end_unless(!memory || free_between_work(memory), "free_pinned()", allocated, memory);
}
bool EmulatedDevice::pin(std::byte* memory, std::size_t bytes) { return regions().pin(memory, bytes); }
void EmulatedDevice::unpin(std::byte* memory) noexcept {
  end_unless(regions().unpin(memory), "unpin()", "pinned and is there still", memory);
}

std::unique_ptr<Queue> EmulatedDevice::make_queue() { return queue_on(*this, scheduler().make_line()); }
std::unique_ptr<Queue> EmulatedDevice::queue_of(void* native) {
  return queue_on(*this, native ? static_cast<Line*>(native)->shared_from_this() : default_line_);
}
std::unique_ptr<Event> EmulatedDevice::make_event(bool) { return event_of(*this, false); }
std::unique_ptr<Event> EmulatedDevice::make_timed_event() { return event_of(*this, true); }
std::unique_ptr<MoveList> EmulatedDevice::make_moves(const MoveSpec& spec, std::span<const BoxMove> boxes) {
  return move_list(spec, boxes);
}
std::unique_ptr<Fft> EmulatedDevice::make_fft(const FftSpec& spec) { return fft_of(spec); }

bool EmulatedDevice::reaches(const Device& other) {
  if (&other == this) return true;
  if (other.space() != space() || number_from("SHARDFFT_EMULATED_REACH", 1) == 0) return false;
  return reached_[static_cast<std::size_t>(other.number())] = true;
}

SharedName EmulatedDevice::share(std::byte*) { no_names(); }
std::byte* EmulatedDevice::open_shared(const SharedName&) { no_names(); }
std::unique_ptr<Event> EmulatedDevice::open_event(const SharedName&, const std::byte*) { no_names(); }

EmulatedDevice::Owner EmulatedDevice::owner_of(const std::byte* memory, std::size_t bytes, const char* use) const {
  const auto wrong = [&](const std::string& got) {
    return Error(Status::device_failed, fmt::format("{} on emulated device {}: {} bytes at {} {}", use, number_, bytes,
                                                    fmt::ptr(memory), got));
  };
  if (!memory) throw wrong("were asked for; no memory is there");
  const auto region = regions().find(memory);
  if (!region) return Owner::host;
  if (region->freed) throw wrong("were freed before");
  if (memory + bytes > region->start + region->bytes)
    throw wrong(fmt::format("go beyond the end of their memory, which has {} bytes behind that address",
                            std::max<std::ptrdiff_t>(0, region->start + region->bytes - memory)));
  if (region->device < 0) return Owner::pinned;
  if (!reached_[static_cast<std::size_t>(region->device)])
    throw wrong(fmt::format("are of device {}; ask with reaches() first", region->device));
  return Owner::device;
}

void EmulatedDevice::check_still(Owner before, const std::byte* memory, std::size_t bytes, const char* use) const {
  if (owner_of(memory, bytes, use) != before)
    throw Error(Status::device_failed,
                fmt::format("{} on emulated device {}: {} bytes at {} were {}pinned when it was asked for; memory "
                            "stays as it is until queues have done their work",
                            use, number_, bytes, fmt::ptr(memory), before == Owner::pinned ? "" : "not "));
}

void EmulatedDevice::check(const std::byte* memory, std::size_t bytes, const char* use) const {
  if (owner_of(memory, bytes, use) == Owner::host)
    throw Error(Status::device_failed,
                fmt::format("{} on emulated device {}: {} bytes at {} are memory of the host that is not pinned; a "
                            "device reads and writes its own, pinned and reached memory",
                            use, number_, bytes, fmt::ptr(memory)));
}

}  // namespace shardfft::emulated
