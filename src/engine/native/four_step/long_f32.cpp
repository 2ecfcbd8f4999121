#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/four_step/long_f32.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "engine/native/four_step/long-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

const LongRoutines<float>* long_f32_here() { return make_long_routines<float>(); }

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft::native {

HWY_EXPORT(long_f32_here);

template <>
const LongRoutines<float>* long_routines<float>() {
  return HWY_DYNAMIC_DISPATCH(long_f32_here)();
}

}  // namespace shardfft::native
#endif
