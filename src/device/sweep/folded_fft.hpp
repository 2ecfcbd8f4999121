// Transforms of pencils whose spectra keep an even number of modes, around one transform of the device's library.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace shardfft {

/// The place in a pencil's whole spectrum that stands for two frequencies (support/kept_modes.hpp), and that of the
/// other one. Of a half spectrum, which holds the first one alone, `mirrored` is 0.
struct FoldedModes {
  bool in = false;  ///< the spectrum is what is read, else what is written
  Index length = 1, middle = 0, mirrored = 0;
  friend bool operator==(const FoldedModes&, const FoldedModes&) = default;
};

/// `whole`: of `pencils` pencils that lie one after the other without gaps, complex where the spectrum is. What is
/// written has the sum of the two in their common place. Of what is read each gets half of it first, so the input is
/// overwritten there. docs/theory/pruned.md.
[[nodiscard]] std::unique_ptr<Fft> make_folded_fft(std::unique_ptr<Fft> whole, Scalar scalar, Index pencils,
                                                   const FoldedModes& folded);

}  // namespace shardfft
