// Bluestein's algorithm: a transform of any length n as a convolution of a length that has small factors only.
//
// With c_k = exp(-i pi k^2 / n) and jk = (j^2 + k^2 - (k-j)^2) / 2, X_k = c_k sum_j (x_j c_j) conj(c_{k-j}).
// Source: L. Bluestein, A linear filtering approach to the computation of the discrete Fourier transform, IEEE Trans. AU-18 (1970) 451.
#if defined(SHARDFFT_NATIVE_CHIRP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_CHIRP_INL_H_
#undef SHARDFFT_NATIVE_CHIRP_INL_H_
#else
#define SHARDFFT_NATIVE_CHIRP_INL_H_
#endif

#include "engine/native/lanes-inl.h"
#include "engine/native/step.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

template <class T>
HWY_INLINE void multiply(const StepArgs<T>& a, Index count, T* x) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  for (Index k = 0; k < count; ++k) access.store(times<T>(access.load(x + k * step), a.table + 2 * k), x + k * step);
}

/// Table: c_k for k < n.
template <class T>
void chirp_in(const StepArgs<T>& a, const T*, T* x) {
  multiply(a, a.n, x);
  const auto zero = Lanes<T>::all(T(0));
  const Access<T> access(false);
  for (Index k = a.n; k < a.inner; ++k) access.store({zero, zero}, x + k * access.step);
}

/// Table: the transform of conj(c_k), wrapped around, divided by `inner`.
template <class T>
void chirp_filter(const StepArgs<T>& a, const T*, T* x) {
  multiply(a, a.inner, x);
}

/// Table: c_k for k < n.
template <class T>
void chirp_out(const StepArgs<T>& a, const T*, T* x) {
  multiply(a, a.n, x);
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
