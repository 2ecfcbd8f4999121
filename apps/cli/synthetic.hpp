// Data for benchmarks: see verify/noise.hpp.
#pragma once

#include "verify/noise.hpp"

namespace shardfft::cli {

using shardfft::fill_with_noise;

}  // namespace shardfft::cli
