// Transforms of a large prime length p as cyclic convolutions, whose transforms are of lengths with smaller factors. w = exp(-2 pi i / p).
//
// Rader: with a generator g of the residues modulo p, X_0 = sum_j x_j and X_{g^-m} = x_0 + sum_q x_{g^q} w^{g^{q-m}}: a convolution of length p - 1.
// Source: C. Rader, Discrete Fourier transforms when the number of data samples is prime, Proc. IEEE 56 (1968) 1107.
//
// Bluestein: with c_k = exp(-i pi k^2 / p) and jk = (j^2 + k^2 - (k-j)^2) / 2, X_k = c_k sum_j (x_j c_j) conj(c_{k-j}): one of any length >= 2p - 1.
// Source: L. Bluestein, A linear filtering approach to the computation of the discrete Fourier transform, IEEE Trans. AU-18 (1970) 451.
#if defined(SHARDFFT_NATIVE_CONVOLUTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_CONVOLUTION_INL_H_
#undef SHARDFFT_NATIVE_CONVOLUTION_INL_H_
#else
#define SHARDFFT_NATIVE_CONVOLUTION_INL_H_
#endif

#include "engine/native/lanes-inl.h"
#include "engine/native/passes.hpp"
#include "engine/native/step.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

template <class T>
HWY_INLINE Complex<T> sum_of(const Complex<T>& a, const Complex<T>& b) {
  return {Lanes<T>::add(a.re, b.re), Lanes<T>::add(a.im, b.im)};
}

/// one[q] = the input that belongs to place q, times its twiddle if there are any.
template <class T>
HWY_INLINE void take_inputs(const PassArgs<T>& a, Index count, const Index* order, const T* twiddles, const T* in, Index from, T* one) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped), plain(false);
  for (Index q = 0; q < count; ++q) {
    const Index j = order == nullptr ? q : order[q];
    const Complex<T> x = access.load(in + j * from * step);
    plain.store(twiddles == nullptr ? x : times<T>(x, twiddles + 2 * j), one + q * step);
  }
}

/// to[q] = from[q] * filter[q] for q >= first; in place, too.
template <class T>
HWY_INLINE void filter_all(const Convolution<T>& c, Index first, const T* from, T* to) {
  constexpr Index step = Access<T>::step;
  const Access<T> plain(false);
  for (Index q = first; q < c.inner; ++q) plain.store(times<T>(plain.load(from + q * step), c.filter + 2 * q), to + q * step);
}

/// Adds x_0 to all outputs of the convolution by way of element 0 of its spectrum. Where `out` is a place of its own, in a first pass from another tile, it
/// serves as scratch.
template <class T>
void rader_butterfly(const PassArgs<T>& a, const T* twiddles, const T* in, Index from, T* out, Index to, T* scratch) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped), plain(false);
  const Convolution<T>& c = *a.convolution;
  const bool own_place = twiddles == nullptr && in != out;
  T *one = own_place ? out : scratch, *two = own_place ? scratch : scratch + c.inner * step;
  const Complex<T> x0 = access.load(in);
  take_inputs<T>(a, c.inner, c.order, twiddles, in, from, one);
  c.forward->run(one, two);
  const Complex<T> sum = plain.load(two);
  plain.store(sum_of<T>(times<T>(sum, c.filter), x0), one);
  filter_all<T>(c, 1, two, one);
  c.backward->run(one, two);
  access.store(sum_of<T>(sum, x0), out);
  access.store(plain.load(two), out + to * step);
  for (Index m = 1; m < c.inner; ++m) access.store(plain.load(two + m * step), out + c.order[c.inner - m] * to * step);
}

template <class T>
void bluestein_butterfly(const PassArgs<T>& a, const T* twiddles, const T* in, Index from, T* out, Index to, T* scratch) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped), plain(false);
  const Convolution<T>& c = *a.convolution;
  T *one = scratch, *two = scratch + c.inner * step;
  const auto zero = Lanes<T>::all(T(0));
  take_inputs<T>(a, a.radix, nullptr, twiddles == nullptr ? c.chirp : twiddles, in, from, one);
  for (Index k = a.radix; k < c.inner; ++k) plain.store({zero, zero}, one + k * step);
  c.forward->run(one, two);
  filter_all<T>(c, 0, two, two);  // one buffer less to write; its smooth length needs no scratch behind the other
  c.backward->run(two, one);
  for (Index k = 0; k < a.radix; ++k) access.store(times<T>(plain.load(one + k * step), c.chirp + 2 * k), out + k * to * step);
}

template <class T>
void prime_butterfly(const PassArgs<T>& a, const T* twiddles, const T* in, Index from, T* out, Index to, T* scratch) {
  (a.convolution->order != nullptr ? rader_butterfly<T> : bluestein_butterfly<T>)(a, twiddles, in, from, out, to, scratch);
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
