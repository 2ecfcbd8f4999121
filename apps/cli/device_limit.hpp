// The same on a device: the time that no transform on it can beat.
#pragma once

#include <string>

#include "limit.hpp"

namespace shardfft::cli {

/// Collective. Two passes over the array: of arrays on the device at the rate at which each rank's device copies within
/// itself, of arrays on the host at that at which it copies from and to pinned memory at once; up to 1 GiB, best of
/// several, all ranks at once. Arithmetic is not counted. Takes 2 GiB of each device at most. Throws
/// Error(out_of_memory).
[[nodiscard]] Limit measure_device_limit(const Comm& comm, const Problem& problem, const std::string& device,
                                         bool arrays_there);

}  // namespace shardfft::cli
