// Makers of the drivers; each is defined in its driver's files.
#pragma once

#include "device/device.hpp"

namespace shardfft {

[[nodiscard]] const DeviceDriver& cuda_driver();
[[nodiscard]] const DeviceDriver& hip_driver();
[[nodiscard]] const DeviceDriver& sycl_driver();
[[nodiscard]] const DeviceDriver& emulated_driver();

}  // namespace shardfft
