// Tasks of an emulated device's queue: is the memory right that they name, and do it.
#pragma once

#include "device/emulated/device.hpp"
#include "device/task.hpp"

namespace shardfft::emulated {

/// Throws Error(device_failed) when an array of the task is not memory that the device reaches. Of tables in its memory
/// only `when_run` looks at what they say.
void check(const EmulatedDevice& device, const DeviceTask& task, bool when_run);

}  // namespace shardfft::emulated
