// Cosine, sine and Hartley transforms of pencils, around one transform of the device's library.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/kinds.hpp"

namespace shardfft {

/// `spec` has one axis, whose transform is of no account: pencils of reals, or of complex numbers, with the same number
/// of elements at both ends. Between two kernels the library transforms each of their parts as a real pencil. The last
/// kernel scales. Work memory beside the library's own: what the library reads and what it writes. `in` may be `out` if
/// they have equal strides; it is left as it is otherwise.
/// Throws Error(unsupported) where the library cannot.
[[nodiscard]] std::unique_ptr<Fft> make_kind_fft(Device& device, const FftSpec& spec, const PencilKind& kind);

/// Bytes that the two kernels and the library's transform read and write of work memory, for so many real pencils.
[[nodiscard]] Index kind_bytes(const PencilKind& kind, Index n, Index pencils, Scalar scalar);

}  // namespace shardfft
