// Rader's algorithm: a transform of prime length n as a cyclic convolution of length n - 1.
//
// With a generator g of the residues modulo n, X_0 = sum_j x_j and X_{g^-m} = x_0 + sum_q x_{g^q} w^{g^{q-m}}, w = exp(-2 pi i / n).
// Source: C. Rader, Discrete Fourier transforms when the number of data samples is prime, Proc. IEEE 56 (1968) 1107.
#if defined(SHARDFFT_NATIVE_RADER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_RADER_INL_H_
#undef SHARDFFT_NATIVE_RADER_INL_H_
#else
#define SHARDFFT_NATIVE_RADER_INL_H_
#endif

#include "engine/native/lanes-inl.h"
#include "engine/native/step.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// Order: g^q mod n, q < inner. Puts x_{g^q} at place q, and x_0 behind them all.
template <class T>
void rader_in(const StepArgs<T>& a, const T* in, T* out) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(false);
  for (Index q = 0; q < a.inner; ++q) access.store(access.load(in + a.order[q] * step), out + q * step);
  access.store(access.load(in), out + a.inner * step);
}

/// Table: the transform of w^{g^-q}, divided by `inner`. `in` is the transform of what rader_in put into `out`. Adds x_0 to all outputs of the
/// convolution by way of its element 0, and leaves X_0 behind them all.
template <class T>
void rader_filter(const StepArgs<T>& a, const T* in, T* out) {
  using L = Lanes<T>;
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  const Complex<T> x0 = access.load(out + a.inner * step), sum = access.load(in), first = times<T>(sum, a.table);
  access.store({L::add(sum.re, x0.re), L::add(sum.im, x0.im)}, out + a.inner * step);
  access.store({L::add(first.re, x0.re), L::add(first.im, x0.im)}, out);
  for (Index q = 1; q < a.inner; ++q) access.store(times<T>(access.load(in + q * step), a.table + 2 * q), out + q * step);
}

/// Order as of rader_in. Puts output m of the convolution where X_{g^-m} belongs.
template <class T>
void rader_out(const StepArgs<T>& a, const T* in, T* out) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(false);
  access.store(access.load(out + a.inner * step), out);
  access.store(access.load(in), out + a.order[0] * step);
  for (Index m = 1; m < a.inner; ++m) access.store(access.load(in + m * step), out + a.order[a.inner - m] * step);
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
