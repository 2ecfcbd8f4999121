#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/native/real/real_rows.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "engine/native/real/real_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

const RowRoutines<float>& rows_f32_here() {
  static const auto routines = make_row_routines<Lanes<float>, float>();
  return routines;
}
const RowRoutines<double>& rows_f64_here() {
  static const auto routines = make_row_routines<Lanes<double>, double>();
  return routines;
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft::native {

HWY_EXPORT(rows_f32_here);
HWY_EXPORT(rows_f64_here);

template <>
const RowRoutines<float>& row_routines<float>() {
  return HWY_DYNAMIC_DISPATCH(rows_f32_here)();
}
template <>
const RowRoutines<double>& row_routines<double>() {
  return HWY_DYNAMIC_DISPATCH(rows_f64_here)();
}

template <class T>
const RowRoutines<T>& number_routines() {
  static const auto routines = HWY_NAMESPACE::make_row_routines<HWY_NAMESPACE::Number<T>, T>();
  return routines;
}
template const RowRoutines<float>& number_routines<float>();
template const RowRoutines<double>& number_routines<double>();

}  // namespace shardfft::native
#endif
