#define SHARDFFT_HALF_VECTORS
#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/passes/routines_f32.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "engine/native/passes/routines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

const Routines<float>& routines_f32_here() {
  static const Routines<float> table = make_routines<float>();
  return table;
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft::native {

#if !SHARDFFT_BESIDE_STATIC
HWY_EXPORT(routines_f32_here);
#endif

template <>
const Routines<float>& routines<float>() {
#if SHARDFFT_BESIDE_STATIC
  return HWY_STATIC_DISPATCH(routines_f32_here)();
#else
  return HWY_DYNAMIC_DISPATCH(routines_f32_here)();
#endif
}

template <>
const Routines<float>* narrower(const Routines<float>& than) {
#if HWY_TARGETS & HWY_AVX2
  if (than.lanes == widest<float>) return &N_AVX2::routines_f32_here();
#endif
  return nullptr;
}

}  // namespace shardfft::native
#endif
