// How large a result is at least: enough to know whether underflow matters to it.
#pragma once

#include <cstddef>

#include "pipeline/pipeline.hpp"

namespace shardfft {

/// A lower bound of the norm of this rank's part of `array`, whose elements start at `data`: the modulus of the first
/// number that is at least `enough` or NaN; without one, the L2 norm. Usually one number is read. `enough`: at most
/// 2^-50 in f32 and 2^-900 in f64.
[[nodiscard]] double norm_at_least(const CallerArray& array, Scalar scalar, const std::byte* data, double enough);

}  // namespace shardfft
