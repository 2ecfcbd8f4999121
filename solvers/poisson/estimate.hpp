// What differences lose, seen on the modes of a right-hand side.
#pragma once

#include "common/modes_run.hpp"
#include "poisson/inverse.hpp"

namespace shardfft::solvers {

/// Collective. `modes`: of f, in the output layout of the plan. `amplification`: of what transforms lose of f, in u.
[[nodiscard]] PoissonEstimate estimate_error(const ModesRun& transforms, const Array& modes,
                                             const std::vector<Axis>& axes, const ModeTables& tables,
                                             double amplification);

}  // namespace shardfft::solvers
