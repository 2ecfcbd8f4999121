#include "device/gpu/facts.hpp"

#include <fmt/format.h>

#include "device/gpu/check.hpp"

namespace shardfft::SHARDFFT_GPU {
namespace {

std::string capability(const gpuDeviceProp_t& about) {
#if SHARDFFT_GPU_IS_HIP
  return std::string(about.gcnArchName)
      .substr(0, std::string_view(about.gcnArchName).find(':'));  // "gfx90a:sramecc+:xnack-"
#else
  return fmt::format("sm_{}{}", about.major, about.minor);
#endif
}

std::string version_text(int number) {
  const int version[] = {SHARDFFT_GPU_VERSION_OF(number)};
  return fmt::format("{} {}.{}", vendor_name, version[0], version[1]);
}

std::string driver_version() {
  int number = 0;
  check(gpuDriverGetVersion(&number), "asking for the driver's version");
  return "driver for " + version_text(number);
}

}  // namespace

DeviceFacts facts_of(int number) {
  gpuDeviceProp_t about{};
  check(gpuGetDeviceProperties(&about, number), "asking what a device is");
  return {.name = about.name,
          .capability = capability(about),
          .memory_bytes = about.totalGlobalMem,
          .cache_bytes = static_cast<std::size_t>(about.l2CacheSize),
          .multiprocessors = about.multiProcessorCount,
          .driver = fmt::format("{}, {}", runtime_version(), driver_version())};
}

std::size_t free_bytes() {
  std::size_t free = 0, all = 0;
  check(gpuMemGetInfo(&free, &all), "asking for free memory");
  return free;
}

std::string runtime_version() {
  int number = 0;
  if (gpuRuntimeGetVersion(&number) == gpuSuccess) return version_text(number);
  forget_error();
  return vendor_name;
}

}  // namespace shardfft::SHARDFFT_GPU
