// Batched transforms by the vendor's library.
#pragma once

#include <memory>
#include <string>

#include "device/fft.hpp"
#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

/// For the current device. Throws Error(unsupported) where the library cannot.
[[nodiscard]] std::unique_ptr<Fft> make_gpu_fft(const FftSpec& spec);
/// "cuFFT 12.0"
[[nodiscard]] std::string fft_version();

}  // namespace shardfft::SHARDFFT_GPU
