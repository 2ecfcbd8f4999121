// Batched transforms by oneMKL.
#pragma once

#include <memory>
#include <string>

#include <sycl/sycl.hpp>

#include "device/fft.hpp"

namespace shardfft::on_sycl {

class SyclDevice;

/// `works`: where oneMKL works, a queue without order. Throws Error(unsupported) where the library cannot.
[[nodiscard]] std::unique_ptr<Fft> make_sycl_fft(SyclDevice& device, const sycl::queue& works, const FftSpec& spec);
/// "oneMKL 2026.0"
[[nodiscard]] std::string fft_version();

}  // namespace shardfft::on_sycl
