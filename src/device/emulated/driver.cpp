// The driver of the emulated devices.
#include <array>
#include <exception>
#include <mutex>

#include <fmt/format.h>

#include "device/emulated/device.hpp"
#include "device/emulated/memory.hpp"
#include "device/emulated/variables.hpp"
#include "device/registry.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace emulated {
namespace {

class EmulatedDriver final : public DeviceDriver {
 public:
  [[nodiscard]] std::string_view space() const override { return "emulated"; }
  [[nodiscard]] int count() const override {
    try {
      return counted();
    } catch (const std::exception&) { return 0; }
  }
  [[nodiscard]] std::string why_none() const override {
    try {
      return counted() == 0 ? "SHARDFFT_EMULATED_DEVICES is 0" : "";
    } catch (const std::exception& error) { return error.what(); }
  }
  [[nodiscard]] std::shared_ptr<Device> open(int number) const override {
    if (number < 0 || number >= count())
      throw Error(Status::unsupported,
                  fmt::format("emulated devices are numbered from 0, and there are {}; got {}", count(), number));
    std::lock_guard lock(mutex_);
    auto& device = devices_[static_cast<std::size_t>(number)];
    if (!device) device = std::make_shared<EmulatedDevice>(number);
    return device;
  }
  [[nodiscard]] bool may_own_memory() const override { return regions().any(); }
  [[nodiscard]] PointsTo points_to(const void* memory) const override {
    const auto region = regions().find(static_cast<const std::byte*>(memory));
    if (!region || region->freed) return {};
    return region->device >= 0 ? PointsTo{.device = true, .number = region->device} : PointsTo{.pinned = true};
  }
  [[nodiscard]] std::string library() const override { return "emulated"; }

 private:
  [[nodiscard]] static int counted() {
    const auto number = number_from("SHARDFFT_EMULATED_DEVICES", 4);
    if (number > most_devices)
      throw Error(Status::invalid_argument,
                  fmt::format("SHARDFFT_EMULATED_DEVICES is at most {}; got {}", most_devices, number));
    return static_cast<int>(number);
  }
  mutable std::mutex mutex_{};
  mutable std::array<std::shared_ptr<Device>, most_devices> devices_{};
};

}  // namespace
}  // namespace emulated

const DeviceDriver& emulated_driver() {
  static auto* driver = new emulated::EmulatedDriver;
  return *driver;
}

}  // namespace shardfft
