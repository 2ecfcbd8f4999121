// Real transforms around complex ones of half the length (even lengths) or of the same length (odd ones).
//
// A real tile of even length 2n is a complex tile of length n: z_k = x_{2k} + i x_{2k+1}. With w = exp(-2 pi i / 2n)
// and Z its transform,
//   X_k = (Z_k + conj Z_{n-k}) / 2 - i w^k (Z_k - conj Z_{n-k}) / 2.
// With D = (Z_k - conj Z_{n-k}) / 2 that is X_k = conj Z_{n-k} + D q and conj X_{n-k} = Z_k - D q, q = 1 - i w^k,
// |q| <= sqrt(2): no intermediate leaves the range of the results, as the sum of Z_k and conj Z_{n-k} could.
#if defined(SHARDFFT_NATIVE_REAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_REAL_INL_H_
#undef SHARDFFT_NATIVE_REAL_INL_H_
#else
#define SHARDFFT_NATIVE_REAL_INL_H_
#endif

#include "engine/native/passes/lanes-inl.h"
#include "engine/native/step.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// z = Z_k and y = Z_{n-k} become X_k and X_{n-k}.
template <class T>
HWY_INLINE void split_pair(Complex<T>& z, Complex<T>& y, const Complex<T>& q) {
  using L = Lanes<T>;
  const auto half = L::all(T(0.5));
  const Complex<T> d{L::mul_sub(half, z.re, L::mul(half, y.re)), L::mul_add(half, z.im, L::mul(half, y.im))};
  const Complex<T> product = times<T>(d, q.re, q.im), low{L::add(y.re, product.re), L::sub(product.im, y.im)};
  y = {L::sub(z.re, product.re), L::sub(product.im, z.im)};
  z = low;
}

/// Table: q for 1 <= k < n/2.
template <class T>
void split_real(const StepArgs<T>& a, const T*, T* x) {
  using L = Lanes<T>;
  constexpr Index step = Access<T>::step;
  const Access<T> access(false);
  const auto zero = L::all(T(0));
  const Complex<T> z0 = access.load(x);
  access.store({L::add(z0.re, z0.im), zero}, x);
  access.store({L::sub(z0.re, z0.im), zero}, x + a.n * step);
  const T* w = a.table;
  T *low = x + step, *high = x + (a.n - 1) * step;
  for (; low < high; low += step, high -= step, w += 2) {
    Complex<T> z = access.load(low), y = access.load(high);
    split_pair<T>(z, y, {L::all(w[0]), L::all(w[1])});
    access.store(z, low);
    access.store(y, high);
  }
  if (low == high) {
    const Complex<T> z = access.load(low);
    access.store({z.re, L::neg(z.im)}, low);
  }
}

/// Table: i conj(w^k) for 1 <= k < n/2. The imaginary parts of elements 0 and n are not looked at.
template <class T>
void join_real(const StepArgs<T>& a, const T*, T* x) {
  using L = Lanes<T>;
  constexpr Index step = Access<T>::step;
  const Access<T> access(false);
  const auto x0 = access.load(x).re, xn = access.load(x + a.n * step).re;
  access.store({L::add(x0, xn), L::sub(x0, xn)}, x);
  const T* w = a.table;
  T *low = x + step, *high = x + (a.n - 1) * step;
  for (; low < high; low += step, high -= step, w += 2) {
    const Complex<T> z = access.load(low), y = access.load(high);
    const Complex<T> sum{L::add(z.re, y.re), L::sub(z.im, y.im)};
    const Complex<T> turned = times<T>({L::sub(z.re, y.re), L::add(z.im, y.im)}, w);
    access.store({L::add(sum.re, turned.re), L::add(sum.im, turned.im)}, low);
    access.store({L::sub(sum.re, turned.re), L::sub(turned.im, sum.im)}, high);
  }
  if (low == high) {
    const Complex<T> z = access.load(low);
    access.store({L::add(z.re, z.re), L::neg(L::add(z.im, z.im))}, low);
  }
}

template <class T>
void widen_real(const StepArgs<T>& a, const T* in, T* out) {
  using L = Lanes<T>;
  const Access<T> access(false);
  for (Index k = 0; k < a.n; ++k) access.store({L::load(in + k * L::count), L::all(T(0))}, out + k * access.step);
}

/// The imaginary part of element 0 is not looked at.
template <class T>
void widen_half(const StepArgs<T>& a, const T* in, T* out) {
  using L = Lanes<T>;
  constexpr Index step = Access<T>::step;
  const Access<T> access(false);
  access.store({access.load(in).re, L::all(T(0))}, out);
  for (Index k = 1; k <= a.n / 2; ++k) {
    const Complex<T> x = access.load(in + k * step);
    access.store(x, out + k * step);
    access.store({x.re, L::neg(x.im)}, out + (a.n - k) * step);
  }
}

template <class T>
void narrow_real(const StepArgs<T>& a, const T* in, T* out) {
  using L = Lanes<T>;
  for (Index k = 0; k < a.n; ++k) L::store(L::load(in + k * Access<T>::step), out + k * L::count);
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
