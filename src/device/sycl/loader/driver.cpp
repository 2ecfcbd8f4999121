// The driver of SYCL's devices as the library sees it: it loads the plug-in when a device is asked for.
#include <atomic>
#include <filesystem>

#include "device/registry.hpp"
#include "support/vendor_library.hpp"

namespace shardfft {
namespace {

constexpr const char* plugin_name = "libshardfft_sycl.so";

namespace fs = std::filesystem;

/// For programs of the build the file that was built. For others the one that was installed beside this code, or the
/// name that the loader looks for.
std::string plugin_file() {
  const fs::path here = own_folder(), built = SHARDFFT_SYCL_PLUGIN;
  std::error_code unreadable;
  if (here.string().starts_with(built.parent_path().string()) && fs::exists(built, unreadable)) return built.string();
  return fs::exists(here / plugin_name, unreadable) ? (here / plugin_name).string() : plugin_name;
}

struct SyclPlugin {
  VendorLibrary library{plugin_file(), SHARDFFT_SYCL_PLUGIN};
  const DeviceDriver* driver = nullptr;
  SyclPlugin() {
    const DeviceDriver* (*entry)() = nullptr;
    library.find("shardfft_sycl_driver", entry);
    if (entry) driver = entry();
  }
};

class LoadedSyclDriver final : public DeviceDriver {
 public:
  [[nodiscard]] std::string_view space() const override { return "sycl"; }
  [[nodiscard]] int count() const override { return plugin().driver ? plugin().driver->count() : 0; }
  [[nodiscard]] std::string why_none() const override {
    return plugin().driver ? plugin().driver->why_none()
                           : plugin().library.why_not() + "; `tools/setup sycl` installs SYCL's runtime";
  }
  [[nodiscard]] std::shared_ptr<Device> open(int number) const override { return plugin().driver->open(number); }
  [[nodiscard]] bool may_own_memory() const override { return is_loaded_; }
  [[nodiscard]] PointsTo points_to(const void* memory) const override {
    return count() > 0 ? plugin().driver->points_to(memory) : PointsTo{};
  }
  [[nodiscard]] std::string library() const override {
    return plugin().driver ? plugin().driver->library() : "SYCL not loaded";
  }

 private:
  // Never destroyed: devices may end after everything else.
  const SyclPlugin& plugin() const {
    static const SyclPlugin& once = *new SyclPlugin;
    is_loaded_ = true;
    return once;
  }
  mutable std::atomic<bool> is_loaded_{false};
};

}  // namespace

const DeviceDriver& sycl_driver() {
  static const LoadedSyclDriver driver;
  return driver;
}

}  // namespace shardfft
