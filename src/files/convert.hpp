// Elements of a file to elements of a plan: any of NumPy's number types, in either byte order, to float, double or
// complex of them.
#pragma once

#include <cstddef>

#include "files/npy.hpp"

namespace shardfft::files {

/// Converts `count` elements at `raw` (any alignment) to `out`, rounding to nearest as NumPy's astype does; a real
/// becomes a complex with imaginary part +0.
using Converter = void (*)(const std::byte* raw, std::byte* out, Index count);

/// Never nullptr. Throws Error(invalid_argument) for complex to real, which would drop the imaginary part.
[[nodiscard]] Converter find_converter(const Dtype& from, Precision precision, bool to_complex);

}  // namespace shardfft::files
