// Devices as they were measured, kept between runs, beside the machine.
#pragma once

#include <string>

#include "device/model/device_machine.hpp"

namespace shardfft {

/// "4 x cuda NVIDIA H200 sm_90, CUDA 13.0, cuFFT 12.0 | host, processor, version": devices of a kind on a host share an
/// entry; how many there are decides whether there are peers.
[[nodiscard]] std::string device_key(const Device& device);
/// Replaces what an earlier run measured of this kind of device on this host. A file that cannot be used is one
/// notice, once, and changes nothing.
void load_measured(DeviceMachine& machine, const Device& device);
/// Keeps it. Returns why it could not be written, or nothing.
[[nodiscard]] std::string keep_measured(const DeviceMachine& machine, const Device& device);

}  // namespace shardfft
