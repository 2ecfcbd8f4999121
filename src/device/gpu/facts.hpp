// What a GPU and its vendor's software say of themselves.
#pragma once

#include "device/device.hpp"
#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

/// Constant facts of device `number`; free_bytes is not filled. Takes milliseconds.
[[nodiscard]] DeviceFacts facts_of(int number);
/// Free bytes of the current device.
[[nodiscard]] std::size_t free_bytes();
/// "CUDA 13.0": what this library was linked with; "" where it does not say.
[[nodiscard]] std::string runtime_version();

}  // namespace shardfft::SHARDFFT_GPU
