// What stands for CUDA's memory. That of devices is open only while a stream works, has a page without access behind
// its last byte, and none of it is used again once it was freed.
#include "device/cuda_stand_in/memory.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cuda_runtime_api.h"
#include "device/cuda_stand_in/streams.hpp"
#include "device/cuda_stand_in/work.hpp"

namespace shardfft::testing {

void stop(const char* why) {
  std::fprintf(stderr, "stand-in of CUDA: %s\n", why);
  std::abort();
}

const std::pair<const Byte* const, Allocation>* Allocations::find(const std::map<const Byte*, Allocation>& all,
                                                                  const void* address) {
  const auto* at = static_cast<const Byte*>(address);
  auto next = all.upper_bound(at);
  if (next == all.begin() || at >= (--next)->first + next->second.bytes) return nullptr;
  return &*next;
}
void Allocations::protect(int access) {
  for (const auto& [start, block] : of_devices)
    if (mprotect(block.start, block.mapped - page, access) != 0) stop("mprotect failed");
}
Allocations& allocations() {
  static Allocations& all = *new Allocations;  // plans may end after everything else
  return all;
}

Allocation map_block(std::size_t bytes, int device) {
  const std::size_t whole = (bytes + page - 1) / page * page + page;
  void* start = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) stop("mmap failed");
  if (mprotect(static_cast<Byte*>(start) + whole - page, page, PROT_NONE) != 0) stop("mprotect failed");
  std::memset(start, 0xff, whole - page);  // numbers that nobody wrote are none
  return {bytes, whole, device, start};
}

namespace {

Byte* first_byte(const Allocation& block) {
  const std::size_t room = block.mapped - page - block.bytes;
  return static_cast<Byte*>(block.start) + room / 256 * 256;
}

/// One side of a copy that the host asked for: of a device, pinned, or any memory of the host.
void check_end(const void* place, std::size_t bytes, const char* what) {
  const auto* found = Allocations::find(allocations().of_devices, place);
  if (found && static_cast<const Byte*>(place) + bytes > found->first + found->second.bytes) stop(what);
}

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
               std::size_t height) {
  if (width == 0 || height == 0) return;
  check_end(to, (height - 1) * to_pitch + width, "a copy writes behind the end of an allocation");
  check_end(from, (height - 1) * from_pitch + width, "a copy reads behind the end of an allocation");
  for (std::size_t row = 0; row < height; ++row)
    std::memmove(static_cast<Byte*>(to) + row * to_pitch, static_cast<const Byte*>(from) + row * from_pitch, width);
}

}  // namespace

DeviceWork::DeviceWork() {
  allocations().lock.lock();
  if (allocations().open++ == 0) allocations().protect(PROT_READ | PROT_WRITE);
}
DeviceWork::~DeviceWork() {
  if (--allocations().open == 0) allocations().protect(PROT_NONE);
  allocations().lock.unlock();
}
void require_device_memory(const void* place, std::size_t bytes, const char* what) {
  if (!Allocations::find(allocations().of_devices, place)) stop(what);
  check_end(place, bytes, what);
}

}  // namespace shardfft::testing

using namespace shardfft::testing;

cudaError_t cudaMalloc(void** place, std::size_t bytes) {
  if (const cudaError_t refused = unless_captured()) return refused;
  const Locked locked(allocations().lock);
  const int current = current_device();
  if (bytes > device_bytes - allocations().used[current]) return said(cudaErrorMemoryAllocation);
  const Allocation block = map_block(bytes, current);
  allocations().used[current] += bytes;
  *place = first_byte(block);
  allocations().of_devices[first_byte(block)] = block;
  if (allocations().open == 0 && mprotect(block.start, block.mapped - page, PROT_NONE) != 0) stop("mprotect failed");
  return cudaSuccess;
}
cudaError_t cudaFree(void* place) {
  current_device();
  if (const cudaError_t refused = unless_captured()) return refused;
  const Locked locked(allocations().lock);
  const auto found = allocations().of_devices.find(static_cast<Byte*>(place));
  if (found == allocations().of_devices.end()) return said(cudaErrorInvalidValue);
  allocations().used[found->second.device] -= found->second.bytes;
  // Its addresses stay taken: whoever still uses them is stopped there.
  if (mmap(found->second.start, found->second.mapped, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    stop("mmap failed");
  allocations().of_devices.erase(found);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** place, std::size_t bytes, unsigned) {
  current_device();
  if (const cudaError_t refused = unless_captured()) return refused;
  const Locked locked(allocations().lock);
  const Allocation block = map_block(bytes, -1);
  *place = first_byte(block);
  allocations().pinned[first_byte(block)] = block;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* place) {
  current_device();
  const Locked locked(allocations().lock);
  const auto found = allocations().pinned.find(static_cast<Byte*>(place));
  if (found == allocations().pinned.end() || !found->second.start) return said(cudaErrorInvalidValue);
  munmap(found->second.start, found->second.mapped);
  allocations().pinned.erase(found);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* place, std::size_t bytes, unsigned) {
  current_device();
  const Locked locked(allocations().lock);
  if (Allocations::find(allocations().pinned, place)) return said(cudaErrorInvalidValue);
  allocations().pinned[static_cast<Byte*>(place)] = {bytes, 0, -1, nullptr};
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* place) {
  current_device();
  const Locked locked(allocations().lock);
  const auto found = allocations().pinned.find(static_cast<Byte*>(place));
  if (found == allocations().pinned.end() || found->second.start) return said(cudaErrorInvalidValue);
  allocations().pinned.erase(found);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** there, void* here, unsigned) {
  const Locked locked(allocations().lock);
  *there = here;
  return Allocations::find(allocations().pinned, here) ? cudaSuccess : said(cudaErrorInvalidValue);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  const Locked locked(allocations().lock);
  *free = device_bytes - allocations().used[current_device()];
  *all = device_bytes;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* about, const void* place) {
  current_device();
  count_question();
  const Locked locked(allocations().lock);
  *about = {cudaMemoryTypeUnregistered, -1};
  if (const auto* found = Allocations::find(allocations().of_devices, place))
    *about = {cudaMemoryTypeDevice, found->second.device};
  else if (Allocations::find(allocations().pinned, place))
    *about = {cudaMemoryTypeHost, current_device()};
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind, cudaStream_t stream) {
  if (width > to_pitch || width > from_pitch) return said(cudaErrorInvalidValue);
  return ask(stream, [=] {
    const DeviceWork work;
    copy_rows(to, to_pitch, from, from_pitch, width, height);
  });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, cudaStream_t stream) {
  const cudaExtent& e = box->extent;
  for (const cudaPitchedPtr& end : {box->srcPtr, box->dstPtr})
    if (e.width > end.pitch || e.height > end.ysize) return said(cudaErrorInvalidValue);
  return ask(stream, [to = box->dstPtr, from = box->srcPtr, e] {
    const DeviceWork work;
    for (std::size_t plane = 0; plane < e.depth; ++plane)
      copy_rows(static_cast<Byte*>(to.ptr) + plane * to.pitch * to.ysize, to.pitch,
                static_cast<const Byte*>(from.ptr) + plane * from.pitch * from.ysize, from.pitch, e.width, e.height);
  });
}
cudaError_t cudaMemsetAsync(void* place, int value, std::size_t bytes, cudaStream_t stream) {
  return ask(stream, [=] {
    const DeviceWork work;
    require_device_memory(place, bytes, "memory that is set is no allocation of a device");
    std::memset(place, value, bytes);
  });
}
