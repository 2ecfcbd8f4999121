// The runtime of SYCL, and which of its devices are of use.
#pragma once

#include <vector>

#include <sycl/sycl.hpp>

namespace shardfft::on_sycl {

/// GPUs; CPU devices if there is no GPU. All compute in f64 and have memory for devices and hosts. The first call
/// comes before any other call of SYCL: it sets variables that the runtime reads once.
[[nodiscard]] std::vector<sycl::device> usable_devices();

}  // namespace shardfft::on_sycl
