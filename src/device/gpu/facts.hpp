// What a GPU and its vendor's software say of themselves.
#pragma once

#include "device/device.hpp"
#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

/// Of device `number`, which is the current one.
[[nodiscard]] DeviceFacts facts_of(int number);
/// "CUDA 13.0": what this library was linked with; "" where it does not say.
[[nodiscard]] std::string runtime_version();

}  // namespace shardfft::SHARDFFT_GPU
