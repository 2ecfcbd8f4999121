#include "device/gpu/device.hpp"

#include <bit>

#include "device/gpu/check.hpp"
#include "device/gpu/event.hpp"
#include "device/gpu/facts.hpp"
#include "device/gpu/fft.hpp"
#include "device/gpu/moves.hpp"
#include "device/gpu/queue.hpp"

namespace shardfft::SHARDFFT_GPU {

static_assert(sizeof(gpuIpcMemHandle_t) == sizeof(SharedName));

DeviceFacts GpuDevice::facts() const {
  const OnDevice on(number_);
  std::call_once(asked_, [&] { facts_ = facts_of(number_); });
  DeviceFacts facts = facts_;
  facts.free_bytes = free_bytes();
  return facts;
}

std::unique_ptr<Queue> GpuDevice::make_queue() { return std::make_unique<GpuQueue>(number_); }

std::unique_ptr<Queue> GpuDevice::queue_of(void* native) {
  return std::make_unique<GpuQueue>(number_, static_cast<gpuStream_t>(native));
}

std::unique_ptr<Event> GpuDevice::make_event(bool shareable) {
  return std::make_unique<GpuEvent>(number_, shareable ? EventUse::shareable : EventUse::plain);
}
std::unique_ptr<Event> GpuDevice::make_timed_event() { return std::make_unique<GpuEvent>(number_, EventUse::timed); }

std::unique_ptr<MoveList> GpuDevice::make_moves(const MoveSpec& spec, std::span<const BoxMove> boxes) {
  const MoveTable table = make_move_table(spec, boxes);
  const std::lock_guard lock(tables_lock_);
  if (!tables_) tables_ = make_queue();
  return std::make_unique<GpuMoveList>(shared_from_this(), *tables_, spec, table);
}

DeviceMemory GpuDevice::table(std::span<const std::byte> bytes, const char* purpose) {
  DeviceMemory memory(shared_from_this(), bytes.size(), purpose);
  const std::lock_guard lock(tables_lock_);
  if (!tables_) tables_ = make_queue();
  tables_->copy(memory.data(), bytes.data(), bytes.size());
  tables_->synchronize();
  return memory;
}

std::unique_ptr<Fft> GpuDevice::make_fft(const FftSpec& spec) {
  const OnDevice on(number_);
  return make_gpu_fft(number_, spec);
}

bool GpuDevice::reach(int other) const {
  const OnDevice on(number_);
  int can = 0;
  check(gpuDeviceCanAccessPeer(&can, number_, other), "asking whether devices reach each other");
  if (!can) return false;
  const gpuError_t result = gpuDeviceEnablePeerAccess(other, 0);
  if (result == gpuErrorPeerAccessAlreadyEnabled)
    forget_error();  // the caller or another library did it
  else
    check(result, "switching on access to another device");
  return true;
}

bool GpuDevice::reaches(const Device& other) {
  if (other.space() != space()) return false;
  if (other.number() == number_) return true;
  const std::lock_guard lock(reached_lock_);
  const auto known = reached_.find(other.number());
  if (known != reached_.end()) return known->second;
  return reached_[other.number()] = reach(other.number());
}

SharedName GpuDevice::share(std::byte* memory) {
  const OnDevice on(number_);
  gpuIpcMemHandle_t handle{};
  check(gpuIpcGetMemHandle(&handle, memory), "naming memory for other processes");
  return std::bit_cast<SharedName>(handle);
}

std::byte* GpuDevice::open_shared(const SharedName& name) {
  const OnDevice on(number_);
  void* memory = nullptr;
  check(gpuIpcOpenMemHandle(&memory, std::bit_cast<gpuIpcMemHandle_t>(name), gpuIpcMemLazyEnablePeerAccess),
        "opening memory of another process");
  return static_cast<std::byte*>(memory);
}

void GpuDevice::close_shared(std::byte* memory) noexcept {
  release_on(number_, [&] { ignore(gpuIpcCloseMemHandle(memory)); });
}

std::unique_ptr<Event> GpuDevice::open_event(const SharedName& name, const std::byte* memory) {
  gpuPointerAttributes about{};
  {
    const OnDevice on(number_);
    check(gpuPointerGetAttributes(&about, memory), "asking whose memory was opened");
  }
  return std::make_unique<GpuEvent>(about.device, name);
}

}  // namespace shardfft::SHARDFFT_GPU
