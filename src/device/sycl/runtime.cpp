#include "device/sycl/runtime.hpp"

#include <cstdlib>
#include <filesystem>

namespace shardfft::on_sycl {
namespace {

/// Keeps compiled kernels from run to run, and finds Intel's CPU device where pip installed it, unless the user chose
/// otherwise.
void set_up_runtime() {
  constexpr int keep = 0;
  setenv("SYCL_CACHE_PERSISTENT", "1", keep);
  std::error_code unreadable;
  if (std::filesystem::exists(SHARDFFT_SYCL_CPU, unreadable)) setenv("OCL_ICD_FILENAMES", SHARDFFT_SYCL_CPU, keep);
}

bool is_usable(const sycl::device& device) {
  return device.has(sycl::aspect::fp64) && device.has(sycl::aspect::usm_device_allocations) &&
         device.has(sycl::aspect::usm_host_allocations);
}

}  // namespace

std::vector<sycl::device> usable_devices() {
  set_up_runtime();
  for (const auto kind : {sycl::info::device_type::gpu, sycl::info::device_type::cpu}) {
    std::vector<sycl::device> found = sycl::device::get_devices(kind);
    std::erase_if(found, [](const sycl::device& device) { return !is_usable(device); });
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace shardfft::on_sycl
