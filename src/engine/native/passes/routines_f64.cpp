#define SHARDFFT_HALF_VECTORS
#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/passes/routines_f64.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "engine/native/passes/routines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

const Routines<double>& routines_f64_here() {
  static const Routines<double> table = make_routines<double>();
  return table;
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft::native {

#if !SHARDFFT_BESIDE_STATIC
HWY_EXPORT(routines_f64_here);
#endif

template <>
const Routines<double>& routines<double>() {
#if SHARDFFT_BESIDE_STATIC
  return HWY_STATIC_DISPATCH(routines_f64_here)();
#else
  return HWY_DYNAMIC_DISPATCH(routines_f64_here)();
#endif
}

template <>
const Routines<double>* narrower(const Routines<double>& than) {
#if HWY_TARGETS & HWY_AVX2
  if (than.lanes == widest<double>) return &N_AVX2::routines_f64_here();
#endif
  return nullptr;
}

}  // namespace shardfft::native
#endif
