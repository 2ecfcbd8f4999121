// The driver of a vendor: which devices there are.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <atomic>
#include <utility>
#include <vector>

#include "device/gpu/check.hpp"
#include "device/gpu/context/contexts.hpp"
#include "device/gpu/device.hpp"
#include "device/gpu/facts.hpp"
#include "device/gpu/fft.hpp"
#include "device/registry.hpp"

namespace shardfft {
namespace SHARDFFT_GPU {
namespace {

// What was found when it was asked for first; vendors do not change their answer within a process.
struct FoundDevices {
  int present = 0;                                 ///< devices of this machine
  std::vector<std::shared_ptr<Device>> devices{};  ///< those that can be used: all or none
  std::string why_none{};
};

// Without the vendor's driver, CUDA says that the driver's version is insufficient.
std::string reason(gpuError_t error) {
  int version = 0;
  const bool has_driver = gpuDriverGetVersion(&version) == gpuSuccess && version > 0;
  forget_error();
  return fmt::format("{} says: {}{}", vendor_name, gpuGetErrorString(error),
                     has_driver ? "" : " (its driver is not installed)");
}

// Never destroyed: devices outlive whoever still holds memory when the program ends.
const FoundDevices& found() {
  static const FoundDevices& all = *[] {
    auto* result = new FoundDevices;
    int count = 0;
    const gpuError_t error = gpuGetDeviceCount(&count);
    result->present = error == gpuSuccess ? count : 0;
    if (error != gpuSuccess) {
      forget_error();
      result->why_none = reason(error);
    } else if (count == 0) {
      result->why_none = fmt::format("{} finds no device", vendor_name);
    } else if (std::string why = why_no_fft(); !why.empty()) {
      result->why_none = std::move(why);
    } else {
      for (int number = 0; number < count; ++number) result->devices.push_back(std::make_shared<GpuDevice>(number));
    }
    return result;
  }();
  return all;
}

// Whether the vendor's driver is in this process; without it no address is a device's. It is looked for again only
// after the process has loaded a library.
bool driver_is_loaded() {
  const char* const library = SHARDFFT_GPU_DRIVER_LIBRARY;
  static std::atomic<bool> is_loaded{library == nullptr};
  static std::atomic<unsigned long long> looked_at{0};
  if (is_loaded.load(std::memory_order_relaxed)) return true;
  unsigned long long loads = 0;
  const auto count = [](dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<unsigned long long*>(to) = info->dlpi_adds;
    return 1;
  };
  dl_iterate_phdr(count, &loads);
  if (looked_at.load(std::memory_order_relaxed) == loads) return false;
  looked_at.store(loads, std::memory_order_relaxed);
  void* const found = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (!found) return false;
  dlclose(found);
  is_loaded.store(true, std::memory_order_relaxed);
  return true;
}

struct GpuDriver final : DeviceDriver {
  [[nodiscard]] std::string_view space() const override { return space_name; }
  [[nodiscard]] int count() const override { return static_cast<int>(found().devices.size()); }
  [[nodiscard]] std::string why_none() const override { return found().why_none; }
  [[nodiscard]] std::shared_ptr<Device> open(int number) const override {
    return found().devices.at(static_cast<std::size_t>(number));
  }

  [[nodiscard]] bool may_own_memory() const override { return some_used_device() >= 0 || driver_is_loaded(); }

  [[nodiscard]] PointsTo points_to(const void* memory) const override {
    if (found().present == 0) return {};
    // Without a context in this process no address belongs to a device. CUDA's runtime would make one for a thread that
    // asks without: hundreds of megabytes of the device and a part of a second, for each rank of a plan on the host.
    const int used = some_used_device(), device = used >= 0 ? used : device_with_context(found().present);
    if (device < 0) return {};
    const OnDevice on(device);
    gpuPointerAttributes about{};
    if (gpuPointerGetAttributes(&about, memory) != gpuSuccess) {
      forget_error();  // memory that the vendor never heard of
      return {};
    }
    const bool is_device = SHARDFFT_GPU_IS_DEVICE_MEMORY(about);
    return {.device = is_device,
            .number = is_device ? about.device : 0,
            .pinned = bool(SHARDFFT_GPU_IS_PINNED_MEMORY(about))};
  }

  [[nodiscard]] std::string library() const override { return fmt::format("{}, {}", runtime_version(), fft_version()); }
};

}  // namespace
}  // namespace SHARDFFT_GPU

const DeviceDriver& SHARDFFT_GPU_DRIVER() {
  static const SHARDFFT_GPU::GpuDriver driver;
  return driver;
}

}  // namespace shardfft
