#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/four_step/four_step_f64.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "engine/native/four_step/four_step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

const FourStepRoutines<double>* four_step_f64_here() { return make_four_step_routines<double>(); }

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft::native {

HWY_EXPORT(four_step_f64_here);

template <>
const FourStepRoutines<double>* four_step_routines<double>() {
  return HWY_DYNAMIC_DISPATCH(four_step_f64_here)();
}

}  // namespace shardfft::native
#endif
