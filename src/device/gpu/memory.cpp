// Memory of a GPU and memory that it shares with the host.
#include <algorithm>

#include "device/gpu/check.hpp"
#include "device/gpu/device.hpp"

namespace shardfft::SHARDFFT_GPU {
std::byte* GpuDevice::allocate(std::size_t bytes, const char* purpose) {
  const OnDevice on(number_);
  void* memory = nullptr;
  check_allocation(gpuMalloc(&memory, std::max<std::size_t>(bytes, 1)), purpose, bytes, "device memory");
  return static_cast<std::byte*>(memory);
}

void GpuDevice::free(std::byte* memory) noexcept {
  release_on(number_, [&] { ignore(gpuFree(memory)); });
}

std::byte* GpuDevice::allocate_pinned(std::size_t bytes, const char* purpose) {
  const OnDevice on(number_);
  void* memory = nullptr;
  check_allocation(gpuHostAlloc(&memory, std::max<std::size_t>(bytes, 1), gpuHostAllocPortable | gpuHostAllocMapped),
                   purpose, bytes, "pinned host memory");
  return static_cast<std::byte*>(memory);
}

void GpuDevice::free_pinned(std::byte* memory) noexcept {
  release_on(number_, [&] { ignore(gpuFreeHost(memory)); });
}

bool GpuDevice::pin(std::byte* memory, std::size_t bytes) {
  const OnDevice on(number_);
  if (gpuHostRegister(memory, bytes, gpuHostRegisterPortable | gpuHostRegisterMapped) != gpuSuccess) {
    forget_error();
    return false;
  }
  // Kernels get the host's address; where the device has another one for it, such memory is of no use.
  void* device_address = nullptr;
  if (gpuHostGetDevicePointer(&device_address, memory, 0) == gpuSuccess && device_address == memory) return true;
  forget_error();
  unpin(memory);
  return false;
}

void GpuDevice::unpin(std::byte* memory) noexcept {
  release_on(number_, [&] { ignore(gpuHostUnregister(memory)); });
}

}  // namespace shardfft::SHARDFFT_GPU
