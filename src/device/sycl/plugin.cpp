// What the library finds in the plug-in: the devices of SYCL.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "device/sycl/device.hpp"
#include "device/sycl/errors.hpp"
#include "device/sycl/fft.hpp"
#include "device/sycl/runtime.hpp"

namespace shardfft::on_sycl {
namespace {

struct FoundSyclDevices {
  std::vector<std::shared_ptr<SyclDevice>> devices{};
  std::string why_none{};
};

// Never destroyed: devices outlive whoever still holds memory when the program ends.
const FoundSyclDevices& found() {
  static const FoundSyclDevices& all = *[] {
    auto* result = new FoundSyclDevices;
    try {
      for (const sycl::device& device : usable_devices())
        result->devices.push_back(std::make_shared<SyclDevice>(static_cast<int>(result->devices.size()), device));
      if (result->devices.empty())
        result->why_none =
            "SYCL finds no GPU and no CPU device that computes in f64; `tools/setup sycl` installs "
            "Intel's CPU device; where MPI loads another OpenCL, start with OCL_ICD_VENDORS=" SHARDFFT_SYCL_CPU;
    } catch (const std::exception& exception) {
      result->devices.clear();
      result->why_none = fmt::format("SYCL says: {}", exception.what());
    }
    return result;
  }();
  return all;
}

struct SyclDriver final : DeviceDriver {
  [[nodiscard]] std::string_view space() const override { return space_name; }
  [[nodiscard]] int count() const override { return static_cast<int>(found().devices.size()); }
  [[nodiscard]] std::string why_none() const override { return found().why_none; }
  [[nodiscard]] std::shared_ptr<Device> open(int number) const override {
    return found().devices.at(static_cast<std::size_t>(number));
  }
  [[nodiscard]] bool may_own_memory() const override { return true; }
  [[nodiscard]] PointsTo points_to(const void* memory) const override {
    PointsTo owner;
    for (const auto& device : found().devices)
      if (owner = device->points_to(memory); owner.device) return owner;
    return owner;
  }
  [[nodiscard]] std::string library() const override {
    return fmt::format("SYCL {}.{}, {}", __LIBSYCL_MAJOR_VERSION, __LIBSYCL_MINOR_VERSION, fft_version());
  }
};

}  // namespace
}  // namespace shardfft::on_sycl

extern "C" __attribute__((visibility("default"))) const shardfft::DeviceDriver* shardfft_sycl_driver() {
  static const shardfft::on_sycl::SyclDriver driver;
  return &driver;
}
