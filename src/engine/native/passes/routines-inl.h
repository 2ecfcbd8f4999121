// The table of routines of one instruction set.
#if defined(SHARDFFT_NATIVE_ROUTINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_ROUTINES_INL_H_
#undef SHARDFFT_NATIVE_ROUTINES_INL_H_
#else
#define SHARDFFT_NATIVE_ROUTINES_INL_H_
#endif

#include "engine/native/passes/contiguous-inl.h"
#include "engine/native/passes/contiguous_real-inl.h"
#include "engine/native/passes/convolution-inl.h"
#include "engine/native/passes/memory_rows-inl.h"
#include "engine/native/passes/pass_any-inl.h"
#include "engine/native/passes/passes-inl.h"
#include "engine/native/passes/real-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// Vectors of 64 bytes: see twiddle_form.hpp.
template <class T>
inline constexpr bool has_both_forms = Lanes<T>::count * sizeof(T) == 64;

template <TwiddleForm form, class T>
void add_passes(Routines<T>& r) {
  r.twiddles = form;
  r.bluestein = bluestein_butterfly<form, T>;
  unroll<std::size(own_radices)>([&](auto i) {
    constexpr int R = own_radices[i];
    r.first[R] = first_pass<R, T>;
    r.pass[R] = pass<form, R, T>;
    add_passes_of_rows<form, R, T>(r);
    add_contiguous_passes<form, R, T>(r);
  });
}

template <class T>
Routines<T> make_routines([[maybe_unused]] TwiddleForm form) {
  Routines<T> r;
  r.lanes = static_cast<int>(Lanes<T>::count);
  add_passes<TwiddleForm::fused>(r);
  if constexpr (has_both_forms<T>)
    if (form == TwiddleForm::products) add_passes<TwiddleForm::products>(r);
  r.first_any = first_pass_any<T>;
  r.pass_any = pass_any<T>;
  r.rader = rader_butterfly<T>;
  add_contiguous_real(r);
  r.split_real = split_real<T>;
  r.join_real = join_real<T>;
  r.widen_real = widen_real<T>;
  r.widen_half = widen_half<T>;
  r.narrow_real = narrow_real<T>;
  return r;
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
