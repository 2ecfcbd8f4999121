// The passes of one radix, for one instruction set. Each radix and scalar type is compiled by itself (radix.cpp.in).
#if defined(SHARDFFT_NATIVE_RADIX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_RADIX_INL_H_
#undef SHARDFFT_NATIVE_RADIX_INL_H_
#else
#define SHARDFFT_NATIVE_RADIX_INL_H_
#endif

#include "engine/native/passes/contiguous-inl.h"
#include "engine/native/passes/memory_rows-inl.h"
#include "engine/native/passes/passes-inl.h"
#include "engine/native/passes/twiddle_forms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

template <TwiddleForm form, int R, class T>
void add_form(Routines<T>& r) {
  r.first[R] = first_pass<R, T>;
  r.pass[R] = pass<form, R, T>;
  add_passes_of_rows<form, R, T>(r);
  add_contiguous_passes<form, R, T>(r);
}

/// Adds the passes of radix R to a table: those of `form` where there is a choice.
template <int R, class T>
void add_radix(Routines<T>& r, [[maybe_unused]] TwiddleForm form) {
  if constexpr (has_both_forms<T>)
    if (form == TwiddleForm::products) return add_form<TwiddleForm::products, R>(r);
  add_form<TwiddleForm::fused, R>(r);
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
