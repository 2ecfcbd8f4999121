// Batched transforms by the vendor's library.
#pragma once

#include <memory>
#include <string>

#include "device/fft.hpp"
#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

/// For `device`, the current one. Throws Error(unsupported) where the library cannot.
[[nodiscard]] std::unique_ptr<Fft> make_gpu_fft(int device, const FftSpec& spec);
/// Empty where the library can be loaded, which is tried once; else why not, with the remedy.
[[nodiscard]] std::string why_no_fft();
/// "cuFFT 12.0"; "cuFFT not loaded" where it cannot be.
[[nodiscard]] std::string fft_version();

}  // namespace shardfft::SHARDFFT_GPU
