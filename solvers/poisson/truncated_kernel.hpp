// The spectrum of 1/(4 pi r), cut off, on the doubled grid of a box.
#pragma once

#include <array>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::solvers {

struct KernelBox {
  Shape shape{};  ///< of the box, before it is doubled
  std::vector<double> spacing{};
};

struct KernelOperator {
  Operator convolve{};
  Array factors{};  ///< that it reads on a device
};

/// Collective. Multiplies the modes of the doubled array with that spectrum: a half spectrum in `modes`, a grid of
/// boxes. Real and even, it is stored once for k and -k along every axis that is not cut among ranks. `there`: a plan
/// on a device, which has these modes and stores each.
[[nodiscard]] KernelOperator truncated_kernel(const Comm& comm, const KernelBox& box, const Layout& modes,
                                              Precision precision, int threads, const Plan* there = nullptr);

/// Distance beyond which the kernel is zero: the diagonal of the box.
[[nodiscard]] double kernel_radius(const KernelBox& box);

}  // namespace shardfft::solvers
