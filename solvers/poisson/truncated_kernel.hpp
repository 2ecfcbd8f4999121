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

/// Collective. Multiplies the modes of the doubled array with that spectrum: a half spectrum in `modes`, a grid of
/// boxes. Real and even, it is stored once for k and -k along every axis that is not cut among ranks.
[[nodiscard]] Operator truncated_kernel(const Comm& comm, const KernelBox& box, const Layout& modes,
                                        Precision precision, int threads);

/// Distance beyond which the kernel is zero: the diagonal of the box.
[[nodiscard]] double kernel_radius(const KernelBox& box);

}  // namespace shardfft::solvers
