// What a GPU and its vendor's software say of themselves.
#pragma once

#include "device/device.hpp"
#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

/// Of device `number`: what stays as it is, without free_bytes. Takes milliseconds.
[[nodiscard]] DeviceFacts facts_of(int number);
/// Of the current device.
[[nodiscard]] std::size_t free_bytes();
/// "CUDA 13.0": what this library was linked with; "" where it does not say.
[[nodiscard]] std::string runtime_version();

}  // namespace shardfft::SHARDFFT_GPU
