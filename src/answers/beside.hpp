// Spectra beside the one that an operator sees.
#pragma once

#include <complex>
#include <utility>

#include "shardfft/plan.hpp"

namespace shardfft {

/// Throws Error(invalid_argument) unless `plan` applies operators to spectra of Fourier axes, all of the array's, on
/// the host. `call` names the caller.
void require_answering(const Plan& plan, const char* call);

/// Throws Error(invalid_argument) unless a view has so many bytes. `what` names it: "the kernel".
void require_bytes(const View& view, Index bytes, const char* what);

/// Collective. The unscaled transform of `x` in the plan's middle layout. `x` is in the input layout, or if `whole` in
/// that of a plan of the same shape without support.
[[nodiscard]] Array transformed_beside(const Plan& plan, View x, bool whole = false);

/// work(a number of this precision).
template <class Work>
auto in_precision(Precision precision, Work&& work) {
  return precision == f32 ? work(float()) : work(double());
}
template <class Work>
auto in_precision_of(const Plan& plan, Work&& work) {
  return in_precision(plan.problem().precision, std::forward<Work>(work));
}

}  // namespace shardfft
