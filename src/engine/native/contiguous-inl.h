// Passes over one pencil whose elements are neighbours in memory: vectors along the pencil instead of across a tile of them.
//
// Before pass p the pencil is made of n / done interleaved subsequences, of which each is transformed, done elements. The first pass takes vectors of neighbouring subsequences, as they lie in memory,
// and stores each by itself: squares are transposed in registers. From then on vectors hold neighbouring elements of one subsequence, each with constants of its own, and the last pass stores whole
// pieces of memory. So a pencil is moved through registers once less at either end than in a tile, and only one stays in cache. The arithmetic is that of passes-inl.h, so are the bits.
#if defined(SHARDFFT_NATIVE_CONTIGUOUS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_CONTIGUOUS_INL_H_
#undef SHARDFFT_NATIVE_CONTIGUOUS_INL_H_
#else
#define SHARDFFT_NATIVE_CONTIGUOUS_INL_H_
#endif

#include "engine/native/memory_rows-inl.h"
#include "support/simd_transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// Of `columns` subsequences, at least as many as a vector has lanes; the last vector begins early enough to be full.
template <int R, bool swapped, class T>
HWY_INLINE void first_contiguous_pass(const Index* places, Index columns, const T* from, T* out) {
  constexpr Index lanes = Lanes<T>::count;
  alignas(64) T re[R * lanes], im[R * lanes];  // of the results, before they are transposed
  for (Index done = 0; done < columns; done += lanes) {
    const Index column = done + lanes <= columns ? done : columns - lanes;
    Butterfly<R, true, T>::run([&](auto j) SHARDFFT_INSIDE { return fetch<swapped, T>(reinterpret_cast<const std::byte*>(from + 2 * (column + j * columns))); },
                               [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE {
                                 simd::put<false, T>(y.re, re + u * lanes);
                                 simd::put<false, T>(y.im, im + u * lanes);
                               });
    unroll<R / lanes>([&](auto square) SHARDFFT_INSIDE {
      unroll<2>([&](auto part) SHARDFFT_INSIDE {
        typename Lanes<T>::V rows[lanes];
        simd::load_transposed<T>([&](int u) HWY_ATTR { return (part == 0 ? re : im) + (square * lanes + u) * lanes; }, rows);
        unroll<lanes>([&](auto v) SHARDFFT_INSIDE { Lanes<T>::store(rows[v], out + 2 * (places[column + v] + square * lanes) + part * lanes); });
      });
    });
  }
}

template <int R, class T>
void first_contiguous_pass(const PassArgs<T>& a, const Index* places, Index columns, const T* from, T* out) {
  if (a.swapped)
    first_contiguous_pass<R, true>(places, columns, from, out);
  else
    first_contiguous_pass<R, false>(places, columns, from, out);
}

template <TwiddleForm form, int R, class T>
void contiguous_pass(const PassArgs<T>& a, Index blocks, T* x) {
  constexpr Index lanes = Lanes<T>::count;
  const Access<T> access(false);
  const Index apart = 2 * a.done;
  for (Index block = 0; block < blocks; ++block, x += (R - 1) * apart) {
    ForEachLane<T> table{a.table};
    for (Index k = 0; k < a.done; k += lanes, x += 2 * lanes, table = table + constant_count(form, R)) {
      twiddle_and_join<form, R, T>([&](auto j) SHARDFFT_INSIDE { return access.load(x + j * apart); }, [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE { access.store(y, x + u * apart); }, table);
    }
  }
}

template <TwiddleForm form, int R, bool swapped, bool streamed, class T>
HWY_INLINE void last_contiguous_pass(const PassArgs<T>& a, const T* x, const T* ahead, T* to, T scale) {
  using L = Lanes<T>;
  const Access<T> access(false);
  const Index apart = 2 * a.done;
  ForEachLane<T> table{a.table};
  for (Index k = 0; k < a.done; k += L::count, x += 2 * L::count, to += 2 * L::count, table = table + constant_count(form, R)) {
    const auto load = [&](auto j) SHARDFFT_INSIDE {
      if (ahead != nullptr) {
        simd::want_soon(ahead + 2 * k + j * apart);
        simd::want_soon(ahead + 2 * k + j * apart + L::count);
      }
      return access.load(x + j * apart);
    };
    const auto store = [&](auto u, Complex<T> y) SHARDFFT_INSIDE {
      if (scale != 1) y = {L::mul(y.re, L::all(scale)), L::mul(y.im, L::all(scale))};
      deliver<swapped, streamed, T>(y, reinterpret_cast<std::byte*>(to + u * apart));
    };
    twiddle_and_join<form, R, T>(load, store, table);
  }
}

template <TwiddleForm form, int R, class T>
void last_contiguous_pass(const PassArgs<T>& a, const T* x, const ContiguousPencil& pencil) {
  const auto* ahead = pencil.ahead == 0 ? nullptr : reinterpret_cast<const T*>(pencil.from + pencil.ahead);
  auto* to = reinterpret_cast<T*>(pencil.to);
  const T scale = static_cast<T>(pencil.scale);
  if (pencil.stream)
    a.swapped ? last_contiguous_pass<form, R, true, true>(a, x, ahead, to, scale) : last_contiguous_pass<form, R, false, true>(a, x, ahead, to, scale);
  else
    a.swapped ? last_contiguous_pass<form, R, true, false>(a, x, ahead, to, scale) : last_contiguous_pass<form, R, false, false>(a, x, ahead, to, scale);
}

#endif

/// Leaves the table as it is where there is no such code: for long double, without vectors, for vectors of 16 bytes, of which it was not measured whether it pays, and for radices that take compilers longest and that
/// few lengths have.
template <TwiddleForm form, int R, class T>
void add_contiguous_passes([[maybe_unused]] Routines<T>& r) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (Lanes<T>::count * sizeof(T) >= 32 && Lanes<T>::count > 1 && R != 11 && R != 13) {
    if constexpr (R % Lanes<T>::count == 0) r.first_contiguous[R] = first_contiguous_pass<R, T>;
    r.contiguous[R] = contiguous_pass<form, R, T>;
    r.last_contiguous[R] = last_contiguous_pass<form, R, T>;
  }
#endif
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
