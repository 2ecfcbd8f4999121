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

/// Complex numbers next to each other in memory, of which lane v has number column_of_lane(v).
template <bool swapped, class T>
HWY_INLINE Complex<T> fetch_in_blocks(const T* from) {
  const typename Lanes<T>::D d;
  Complex<T> x;
  simd::deinterleave_in_blocks(hn::LoadU(d, from), in_register(hn::LoadU(d, from + Lanes<T>::count)), swapped ? x.im : x.re, swapped ? x.re : x.im);
  return x;
}

template <class T>
constexpr int column_of_lane(int lane) {
  constexpr int block = simd::block_lanes<T>, of_a_half = block / 2, half = static_cast<int>(Lanes<T>::count) / 2;
  return lane / of_a_half % 2 * half + lane / block * of_a_half + lane % of_a_half;
}

/// Of `columns` subsequences, at least as many as a vector has lanes; the last vector begins early enough to be full.
template <int R, bool swapped, class T>
HWY_INLINE void first_contiguous_pass(const Index* places, Index columns, const T* from, T* out) {
  constexpr int lanes = static_cast<int>(Lanes<T>::count);
  for (Index done = 0; done < columns; done += lanes) {
    const Index column = done + lanes <= columns ? done : columns - lanes, apart = afresh(2 * columns);
    const T* const at = from + 2 * column;
    Complex<T> y[R];
    Butterfly<R, true, T>::join([&](auto j) SHARDFFT_INSIDE { return fetch_in_blocks<swapped>(at + j * apart); }, [&](auto u, const Complex<T>& value) SHARDFFT_INSIDE { y[u] = value; }, {});
    unroll<R / lanes>([&](auto square) SHARDFFT_INSIDE {
      unroll<2>([&](auto part) SHARDFFT_INSIDE {
        typename Lanes<T>::V rows[lanes];
        unroll<lanes>([&](auto u) SHARDFFT_INSIDE { rows[u] = part == 0 ? y[square * lanes + u].re : y[square * lanes + u].im; });
        simd::transpose<T>(rows);
        unroll<lanes>([&](auto v) SHARDFFT_INSIDE { Lanes<T>::store(rows[v], out + 2 * (places[column + column_of_lane<T>(v)] + square * lanes) + part * lanes); });
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
  for (Index block = 0; block < blocks; ++block, x += 2 * (R - 1) * a.done) {
    ForEachLane<T> table{a.table};
    for (Index k = 0; k < a.done; k += lanes, x += 2 * lanes, table = table + constant_count(form, R)) {
      const Index apart = afresh(2 * a.done);
      twiddle_and_join<form, R, T>([&](auto j) SHARDFFT_INSIDE { return access.load(x + j * apart); }, [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE { access.store(y, x + u * apart); }, table);
    }
  }
}

/// `ahead`: what is asked for into the second-level cache, null: nothing; then what comes `after` this pencil, most often the next one, goes into the first-level cache.
template <TwiddleForm form, int R, bool swapped, bool streamed, class T>
HWY_INLINE void last_contiguous_pass(const PassArgs<T>& a, const T* x, const T* ahead, const T* after, T* to, T scale) {
  using L = Lanes<T>;
  const Access<T> access(false);
  ForEachLane<T> table{a.table};
  for (Index k = 0; k < a.done; k += L::count, x += 2 * L::count, to += 2 * L::count, table = table + constant_count(form, R)) {
    const Index apart = afresh(2 * a.done);
    const T *const soon = ahead + 2 * k, *const next = after + 2 * k;
    // One after the other, between what is computed: all at once in front of it they fill the queue to memory (256 from memory to cache 1350 cycles a pencil instead of 1100).
    const auto load = [&](auto j) SHARDFFT_INSIDE {
      if (ahead != nullptr) {
        simd::want_soon(soon + j * apart);
        simd::want_soon(soon + j * apart + L::count);
        simd::want_now(next + j * apart);
        simd::want_now(next + j * apart + L::count);
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
  // Where that is the next pencil itself, it is not near yet: then this asks for what is in the first-level cache anyway, which costs less than not to ask.
  const Index elements = R * a.done;
  const T* const after = pencil.ahead > 2 * elements * static_cast<Index>(sizeof(T)) ? reinterpret_cast<const T*>(pencil.from) + 2 * elements : x;
  auto* to = reinterpret_cast<T*>(pencil.to);
  const T scale = static_cast<T>(pencil.scale);
  if (pencil.stream)
    a.swapped ? last_contiguous_pass<form, R, true, true>(a, x, ahead, after, to, scale) : last_contiguous_pass<form, R, false, true>(a, x, ahead, after, to, scale);
  else
    a.swapped ? last_contiguous_pass<form, R, true, false>(a, x, ahead, after, to, scale) : last_contiguous_pass<form, R, false, false>(a, x, ahead, after, to, scale);
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
