// Passes of the Stockham autosort transform over a tile.
//
// After radices whose product is `done`, element q * done + k of the tile, q < rest = n / done, is output k of the transform of length `done`
// of the subsequence x[q], x[q + rest], x[q + 2 rest], ... A pass of radix R combines the R subsequences q + left * j, left = rest / R, into
// one: it reads elements a whole n / R apart and writes them `done` apart. Before the first pass the order is that of the input, after the last
// one that of the output. Source: C. Van Loan, Computational Frameworks for the FFT, SIAM 1992, section 1.7.
#if defined(SHARDFFT_NATIVE_PASSES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_PASSES_INL_H_
#undef SHARDFFT_NATIVE_PASSES_INL_H_
#else
#define SHARDFFT_NATIVE_PASSES_INL_H_
#endif

#include "engine/native/butterfly-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// One butterfly: elements `in`, in + apart, ... to `out`, out + done, ... (in scalars).
template <int R, bool first, class T>
HWY_INLINE void transform_one(const Access<T> access, const T* HWY_RESTRICT in, Index apart, T* HWY_RESTRICT out, Index done,
                              const T* HWY_RESTRICT twiddles) {
  Complex<T> x[R];
  unroll<R>([&](auto j) SHARDFFT_INSIDE { x[j] = access.load(in + j * apart); });
  Butterfly<R, first, T>::run(x, twiddles);
  unroll<R>([&](auto u) SHARDFFT_INSIDE { access.store(x[u], out + u * done); });
}

template <int R, class T>
void first_pass(const StepArgs<T>& a, const T* in, T* out) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  for (Index q = 0; q < a.left; ++q, in += step, out += R * step) transform_one<R, true, T>(access, in, a.left * step, out, step, nullptr);
}

/// Table: for every k < done, the twiddles of theta = exp(-2 pi i k / (R done)).
template <int R, class T>
void pass(const StepArgs<T>& a, const T* in, T* out) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  const Index done = a.done * step, apart = a.left * done;
  for (Index q = 0; q < a.left; ++q, out += (R - 1) * done) {
    const T* twiddles = a.table;
    for (Index k = 0; k < a.done; ++k, in += step, out += step, twiddles += 2 * twiddle_count(R))
      transform_one<R, false, T>(access, in, apart, out, done, twiddles);
  }
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
