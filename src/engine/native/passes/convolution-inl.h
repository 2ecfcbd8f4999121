// Transforms of a large prime length p as cyclic convolutions, whose transforms are of lengths with smaller factors. w
// = exp(-2 pi i / p).
//
// Rader: with a generator g of the residues modulo p, X_0 = sum_j x_j and X_{g^-m} = x_0 + sum_q x_{g^q} w^{g^{q-m}}: a
// convolution of length p - 1. Source: C. Rader, Discrete Fourier transforms when the number of data samples is prime,
// Proc. IEEE 56 (1968) 1107.
//
// Bluestein: with c_k = exp(-i pi k^2 / p) and jk = (j^2 + k^2 - (k-j)^2) / 2, X_k = c_k sum_j (x_j c_j) conj(c_{k-j}):
// one of any length L >= 2p - 1. Source: L. Bluestein, A linear filtering approach to the computation of the discrete
// Fourier transform, IEEE Trans. AU-18 (1970) 451.
//
// L = 2 H, H >= p: the inputs of the second half are zero, and its outputs are not wanted. So with v = exp(-2 pi i / L)
// the even numbers of the spectrum are a transform of length H of x_j c_j, the odd ones that of x_j c_j v^j, and X_k =
// c_k A_k + c_k v^-k B_k with the transforms A and B back from them. H = half_blocks * inner, by decimation in
// frequency on the way there and in time on the way back: nothing is put in order, and each block is transformed,
// filtered and transformed back while it is in the first-level cache.
#if defined(SHARDFFT_NATIVE_CONVOLUTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_CONVOLUTION_INL_H_
#undef SHARDFFT_NATIVE_CONVOLUTION_INL_H_
#else
#define SHARDFFT_NATIVE_CONVOLUTION_INL_H_
#endif

#include "engine/native/passes/butterfly-inl.h"
#include "engine/native/passes/passes.hpp"
#include "engine/native/step.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

template <class T>
HWY_INLINE Complex<T> sum_of(const Complex<T>& a, const Complex<T>& b) {
  return {Lanes<T>::add(a.re, b.re), Lanes<T>::add(a.im, b.im)};
}

/// one[q] = the input that belongs to place q, times its twiddle if there are any.
template <class T>
HWY_INLINE void take_inputs(const PassArgs<T>& a, Index count, const Index* order, const T* twiddles, const T* in,
                            Index from, T* one) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped), plain(false);
  for (Index q = 0; q < count; ++q) {
    const Index j = order[q];
    const Complex<T> x = access.load(in + j * from * step);
    plain.store(twiddles == nullptr ? x : times<T>(x, twiddles + 2 * j), one + q * step);
  }
}

/// to[q] = from[q] * filter[q] for q >= 1
template <class T>
HWY_INLINE void filter_all(const Convolution<T>& c, const T* from, T* to) {
  constexpr Index step = Access<T>::step;
  const Access<T> plain(false);
  for (Index q = 1; q < c.inner; ++q)
    plain.store(times<T>(plain.load(from + q * step), c.filter + 2 * q), to + q * step);
}

/// Adds x_0 to all outputs of the convolution by way of element 0 of its spectrum. Where `out` is a place of its own,
/// in a first pass from another tile, it serves as scratch.
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
  filter_all<T>(c, two, one);
  c.backward->run(one, two);
  access.store(sum_of<T>(sum, x0), out);
  access.store(plain.load(two), out + to * step);
  for (Index m = 1; m < c.inner; ++m) access.store(plain.load(two + m * step), out + c.order[c.inner - m] * to * step);
}

/// Element k of what is convolved: the input times its twiddle, if there are any, and the chirp.
template <class T>
HWY_INLINE Complex<T> take_chirped(const Access<T> access, const T* twiddles, const T* chirp, Index k, const T* in) {
  const Complex<T> x = access.load(in);
  return times<T>(twiddles == nullptr ? x : times<T>(x, twiddles + 2 * k), chirp + 2 * k);
}

/// From the inputs to R blocks, of which number u has the numbers u, u + R, ... of a half of the spectrum.
template <int R, class T>
void begin_half(const PassArgs<T>& a, const T* twiddles, const T* chirp, const T* in, Index from, T* blocks) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped), plain(false);
  const Convolution<T>& c = *a.convolution;
  const Index apart = c.inner * step;
  const T* turns = c.begin;
  for (Index k = 0; k < c.inner; ++k, blocks += step, turns += 2 * R) {
    const Index rows = (a.radix - k + c.inner - 1) / c.inner;
    const auto chirped = [&](auto j) SHARDFFT_INSIDE {
      const Index n = k + j * c.inner;
      return j < rows ? take_chirped<T>(access, twiddles, chirp, n, in + n * from * step)
                      : Complex<T>{Lanes<T>::all(T(0)), Lanes<T>::all(T(0))};
    };
    Butterfly<R, T>::run(chirped, [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE {
      if constexpr (u == 0)
        plain.store(y, blocks);
      else
        plain.store(times<T>(y, turns + 2 * u), blocks + u * apart);
    });
  }
}

/// From R blocks to the outputs, to which those of the other half are added.
template <int R, bool add, class T>
void end_half(const PassArgs<T>& a, const T* chirp, const T* blocks, T* out, Index to) {
  using L = Lanes<T>;
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped), back(true);
  const Convolution<T>& c = *a.convolution;
  const Index apart = c.inner * step;
  const T* table = c.end;
  for (Index k = 0; k < c.inner; ++k, blocks += step, table += twiddle_count(R)) {
    const Index rows = (a.radix - k + c.inner - 1) / c.inner;
    const auto add_or_put = [&](auto j, const Complex<T>& y) SHARDFFT_INSIDE {
      if (j >= rows) return;
      const Index n = k + j * c.inner;
      T* const at = out + n * to * step;
      const auto re = L::all(chirp[2 * n]), im = L::all(chirp[2 * n + 1]);
      const auto x_re = y.im, x_im = y.re;
      if constexpr (add) {
        const Complex<T> sum = access.load(at);
        access.store({L::neg_mul_add(x_im, im, L::mul_add(x_re, re, sum.re)),
                      L::mul_add(x_im, re, L::mul_add(x_re, im, sum.im))},
                     at);
      } else {
        access.store(times<T>({x_re, x_im}, re, im), at);
      }
    };
    twiddle_and_join<R, T>([&](auto u) SHARDFFT_INSIDE { return back.load(blocks + u * apart); }, add_or_put,
                           ForAllLanes<T>{table});
  }
}

/// All blocks of a half, one after the other: there, filtered, and back.
template <class T>
void filter_half(const Convolution<T>& c, const T* filter, T* blocks, T* block) {
  constexpr Index step = Access<T>::step;
  const Access<T> plain(false);
  for (Index u = 0; u < half_blocks; ++u, filter += 2 * c.inner, blocks += c.inner * step) {
    c.forward->run(blocks, block);
    for (Index q = 0; q < c.inner; ++q)
      plain.store(times<T>(plain.load(block + q * step), filter + 2 * q), block + q * step);
    c.backward->run(block, blocks);
  }
}

/// `in` may be where the results go, so that both halves have to be read first.
template <class T>
void bluestein_butterfly(const PassArgs<T>& a, const T* twiddles, const T* in, Index from, T* out, Index to,
                         T* scratch) {
  constexpr int R = half_blocks;
  const Convolution<T>& c = *a.convolution;
  const Index half = R * c.inner;
  T *const even = scratch, *const odd = even + half * Access<T>::step, *const block = odd + half * Access<T>::step;
  begin_half<R, T>(a, twiddles, c.chirp, in, from, even);
  filter_half<T>(c, c.filter, even, block);
  begin_half<R, T>(a, twiddles, c.odd_chirp, in, from, odd);
  filter_half<T>(c, c.filter + 2 * half, odd, block);
  end_half<R, false, T>(a, c.odd_chirp_back, odd, out, to);  // this one is still in cache
  end_half<R, true, T>(a, c.chirp, even, out, to);
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
