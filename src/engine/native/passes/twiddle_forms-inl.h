// Which instruction sets have both forms of twiddles.
#if defined(SHARDFFT_NATIVE_TWIDDLE_FORMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_TWIDDLE_FORMS_INL_H_
#undef SHARDFFT_NATIVE_TWIDDLE_FORMS_INL_H_
#else
#define SHARDFFT_NATIVE_TWIDDLE_FORMS_INL_H_
#endif

#include "engine/native/passes/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// Vectors of 64 bytes: see twiddle_form.hpp.
template <class T>
inline constexpr bool has_both_forms = Lanes<T>::count * sizeof(T) == 64;

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
