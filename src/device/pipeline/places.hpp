// Devices as places of a pipeline.
#pragma once

#include <functional>
#include <memory>

#include "device/sweep/device_sweep.hpp"
#include "device/sweep/out_of_core/out_of_core_sweep.hpp"
#include "pipeline/place.hpp"

namespace shardfft {

/// The place for arrays in memory of a device; work follows its queue's order. `encodes`: with staging for encoded
/// messages. `await` waits for an event while other plans go on.
[[nodiscard]] std::shared_ptr<const Place> device_place(std::shared_ptr<Device> device, const DeviceSweeps& sweeps,
                                                        bool encodes, std::function<void(const Event&)> await);

/// The place for arrays of the host that go through a device, tile by tile.
[[nodiscard]] std::shared_ptr<const Place> out_of_core_place(std::shared_ptr<OutOfCoreBuffers> buffers);

}  // namespace shardfft
