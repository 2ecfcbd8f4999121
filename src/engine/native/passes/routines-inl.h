// The table of routines of one instruction set.
#if defined(SHARDFFT_NATIVE_ROUTINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_ROUTINES_INL_H_
#undef SHARDFFT_NATIVE_ROUTINES_INL_H_
#else
#define SHARDFFT_NATIVE_ROUTINES_INL_H_
#endif

#include "engine/native/passes/contiguous_real-inl.h"
#include "engine/native/passes/convolution-inl.h"
#include "engine/native/passes/pass_any-inl.h"
#include "engine/native/passes/real-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// radix-inl.h, compiled elsewhere.
template <int R, class T>
void add_radix(Routines<T>& r);

template <class T>
Routines<T> make_routines() {
  Routines<T> r;
  r.lanes = static_cast<int>(Lanes<T>::count);
  r.fused = is_fused;
  unroll<std::size(own_radices)>([&](auto i) { add_radix<own_radices[i]>(r); });
  add_contiguous_real(r);
  if constexpr (!only_half_vectors) {
    r.first_any = first_pass_any<T>;
    r.pass_any = pass_any<T>;
    r.rader = rader_butterfly<T>;
    r.bluestein = bluestein_butterfly<T>;
    r.split_real = split_real<T>;
    r.join_real = join_real<T>;
    r.widen_real = widen_real<T>;
    r.widen_half = widen_half<T>;
    r.narrow_real = narrow_real<T>;
  }
  return r;
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
