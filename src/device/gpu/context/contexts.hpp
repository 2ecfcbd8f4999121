// Contexts of CUDA's driver. HIP has none that cost anything: there these calls find no driver.
#pragma once

#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

/// One of the first `devices` devices on which this process has a context; -1: it has none. Without a driver to ask it
/// is this thread's device. Makes no context.
[[nodiscard]] int device_with_context(int devices);

/// Makes the primary context of `device` the current one of this thread, on top of what the thread has. False without
/// a driver, or if the driver refuses. The device's context lives until the process ends, as its memory may.
[[nodiscard]] bool push_context(int device) noexcept;
/// Takes that context off again: the thread has what it had before, no context included.
void pop_context() noexcept;

}  // namespace shardfft::SHARDFFT_GPU
