#include "device/gpu/check.hpp"

#include <fmt/format.h>

#include <atomic>

#include "device/gpu/context/contexts.hpp"
#include "shardfft/error.hpp"

namespace shardfft::SHARDFFT_GPU {
namespace {

// "cuda:1", of this thread.
std::string current_device() {
  int number = -1;
  if (gpuGetDevice(&number) != gpuSuccess) return fmt::format("{} (no device)", space_name);
  return fmt::format("{}:{}", space_name, number);
}

Status status_of(gpuError_t result) {
  if (result == gpuErrorOutOfMemory) return Status::out_of_memory;
  return result == gpuErrorNotSupported ? Status::unsupported : Status::device_failed;
}

std::atomic<int> used{-1};

std::string text_of(gpuError_t result) {
  return fmt::format("{} ({})", gpuGetErrorString(result), gpuGetErrorName(result));
}

}  // namespace

void check(gpuError_t result, const char* what) {
  if (result == gpuSuccess) return;
  forget_error();
  throw Error(status_of(result), fmt::format("{} on {} failed: {}", what, current_device(), text_of(result)));
}

void check_allocation(gpuError_t result, const char* purpose, std::size_t bytes, const char* kind) {
  if (result == gpuSuccess) return;
  forget_error();
  std::size_t free = 0, all = 0;
  if (gpuMemGetInfo(&free, &all) != gpuSuccess) forget_error();
  const std::string what =
      fmt::format("{} bytes of {} for {} on {}: {}", bytes, kind, purpose, current_device(), text_of(result));
  if (result != gpuErrorOutOfMemory) throw Error(status_of(result), "no " + what);
  throw Error(
      Status::out_of_memory,
      fmt::format(
          "not enough memory, no {}; {} of the device's {} bytes are free; use more devices, or arrays in host memory",
          what, free, all));
}

void forget_error() noexcept { static_cast<void>(gpuGetLastError()); }

void throw_other_driver() {
  throw Error(Status::invalid_argument,
              fmt::format("queues, events and tables of {} work with each other; got one of another kind of device",
                          space_name));
}

OnDevice::OnDevice(int number) {
  check(gpuGetDevice(&before_), "asking for the current device");
  if (before_ != number) choose(number);
  if (used.load(std::memory_order_relaxed) != number) used.store(number, std::memory_order_relaxed);
}

void OnDevice::choose(int number) {
  if (push_context(number)) {
    changed_ = Changed::context;
    return;
  }
  check(gpuSetDevice(number), "choosing a device");
  changed_ = Changed::device;
}

int some_used_device() noexcept { return used.load(std::memory_order_relaxed); }

OnDevice::~OnDevice() {
  if (changed_ == Changed::context) pop_context();
  if (changed_ == Changed::device) static_cast<void>(gpuSetDevice(before_));
}

}  // namespace shardfft::SHARDFFT_GPU
