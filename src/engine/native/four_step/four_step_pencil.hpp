// The four-step algorithm for long pencils, one pencil at a time. Each of its two passes stays in cache. Lanes hold
// neighbouring columns of the pencil, then neighbouring lines.
//
// With n = first * second, w = exp(-2 pi i / n) and x_{second a + b} -> X_{c + first d}:
//   X_{c + first d} = sum_b w^{b c} (sum_a x_{second a + b} w^{second a c}) w^{first b d}
// The inner sums are transforms of columns. Tiles of columns, times w^{b c} and transposed in registers, fill a matrix
// of lines c; the outer sums are transforms of lines. So a pencil is read and written twice, whatever its length.
// Source: D. Bailey, FFTs in external or hierarchical memory, J. Supercomputing 4 (1990) 23.
#pragma once

#include <memory>

#include "engine/engine.hpp"

namespace shardfft::native {

/// Whether a transform takes the four-step algorithm. Length, transform and scalar decide, on machines with vectors.
[[nodiscard]] bool is_long(const KernelRequest& request);

/// For such a request.
template <class T>
[[nodiscard]] std::shared_ptr<const Kernel> make_four_step_kernel(const KernelRequest& request);

}  // namespace shardfft::native
