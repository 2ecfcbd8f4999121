// What a device really does.
#pragma once

#include <memory>

#include "device/model/device_machine.hpp"

namespace shardfft {

/// Collective; less than a second on a GPU. Rank 0 measures its own device, by the device's clock: moves, the library's
/// transforms, the links to the host and to another device. The result is the same on every rank. `known`: what is not
/// measured, as known_device() found it. Throws Error, the same on all ranks.
[[nodiscard]] DeviceMachine measure_device(const Comm& comm, const DeviceMachine& known,
                                           const std::shared_ptr<Device>& device);

}  // namespace shardfft
