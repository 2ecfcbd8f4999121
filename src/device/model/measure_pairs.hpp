// What goes from one memory to another: the table of pairs of Nandapalan, Jaros et al. 2012, "Implementation of 3D FFTs
// across multiple GPUs in shared memory environments", Table I.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "shardfft/programs/machine.hpp"

namespace shardfft {

/// Not collective. Every pair of devices, and every device with pinned memory of the host, by the devices' clocks.
/// Throws Error.
[[nodiscard]] std::vector<PairRates> pairs_of(const DeviceDriver& driver);

}  // namespace shardfft
