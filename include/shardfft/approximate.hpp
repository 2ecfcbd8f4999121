// Approximate mode: how the promise of a tolerance is kept.
#pragma once

#include <string>

namespace shardfft {

/// How `Options::tolerance` is kept; always on every input, unless said otherwise.
enum class Guarantee {
  certified,  ///< steps that suffice for usual data; what is really lost is measured while it is encoded, and where it
              ///< would be too much, as for data made to defeat a quantiser, that part is encoded finer
  worst,      ///< steps that suffice for any data, a priori: up to 1.8 bits for each real number more
  statistical,  ///< errors of random sign (dither), which add up as squares: fewer bits; the tolerance is kept but for
                ///< a probability below 1e-9 for each run, whatever the data
};

[[nodiscard]] std::string to_string(Guarantee guarantee);

/// What the last run lost, and how much of the network it took.
struct Loss {
  double bound = 0;         ///< of the relative L2 error of the result against the exact transform, arithmetic included
  double floor = 0;         ///< the part of the L2 error, absolute, that underflow may cause; `bound` has it, relative,
                            ///< where all numbers of a result of the host are near subnormal ones
  double encoded = 0;       ///< the part of it that the codecs caused, as they measured it
  double bits = 0;          ///< that a real number of the encoded exchanges took on average; 0 where none was encoded
  double bytes_before = 0;  ///< of all encoded exchanges and ranks, as they would have been without a codec
  double bytes_after = 0;
};

}  // namespace shardfft
