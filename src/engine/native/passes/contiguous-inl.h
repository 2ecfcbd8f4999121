// Passes over one pencil whose elements are neighbours in memory: vectors along the pencil instead of across a tile of
// them.
//
// Before pass p the pencil is made of n / done interleaved subsequences, of which each is transformed, done elements.
// The first pass takes vectors of neighbouring subsequences, as they lie in memory, and stores each by itself: squares
// are transposed in registers. From then on vectors hold neighbouring elements of one subsequence, each with constants
// of its own, and the last pass stores whole pieces of memory. So a pencil is moved through registers once less at
// either end than in a tile, and only one stays in cache. The arithmetic is that of passes-inl.h, so are the bits.
//
// Elements that do not fill a last square or vector are taken together with some that were computed before.
#if defined(SHARDFFT_NATIVE_CONTIGUOUS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_CONTIGUOUS_INL_H_
#undef SHARDFFT_NATIVE_CONTIGUOUS_INL_H_
#else
#define SHARDFFT_NATIVE_CONTIGUOUS_INL_H_
#endif

#include <algorithm>

#include "engine/native/passes/memory_rows-inl.h"
#include "support/processor/simd_transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// Complex numbers from two places in memory, half a vector of neighbours from each: lane v has number
/// column_of_lane(v) of place half_of_lane(v).
template <bool swapped, class T>
HWY_INLINE Complex<T> fetch_in_blocks(const T* low, const T* high) {
  const typename Lanes<T>::D d;
  Complex<T> x;
  simd::deinterleave_in_blocks(hn::LoadU(d, low), in_register(hn::LoadU(d, high)), swapped ? x.im : x.re,
                               swapped ? x.re : x.im);
  return x;
}

template <class T>
constexpr int half_of_lane(int lane) {
  return lane / (simd::block_lanes<T> / 2) % 2;
}

template <class T>
constexpr int column_of_lane(int lane) {
  constexpr int block = simd::block_lanes<T>, of_a_half = block / 2;
  return lane / block * of_a_half + lane % of_a_half;
}

/// Reads and writes elements of a pencil between two passes. `in_turns`: parts lie in turns of a vector, as
/// PencilFormat has it, and elements are taken in whole vectors.
template <bool in_turns, class T>
struct PencilAccess {
  using L = Lanes<T>;
  static constexpr Index step = in_turns ? 2 : 1;
  explicit HWY_INLINE PencilAccess(const PencilFormat& format) : im(in_turns ? L::count : format.im) {}

  HWY_INLINE Complex<T> load(const T* p) const {
    const typename L::D d;
    if constexpr (in_turns) return {L::load(p), L::load(p + L::count)};
    return {hn::LoadU(d, p), hn::LoadU(d, p + im)};
  }
  HWY_INLINE void store(const Complex<T>& x, T* p) const {
    const typename L::D d;
    if constexpr (in_turns) {
      L::store(x.re, p);
      L::store(x.im, p + L::count);
    } else {
      hn::StoreU(x.re, d, p);
      hn::StoreU(x.im, d, p + im);
    }
  }
  /// visit(k) for the vectors of a length.
  template <class Visit>
  static HWY_INLINE void for_vectors(Index length, Visit visit) {
    if constexpr (in_turns)
      for (Index k = 0; k < length; k += L::count) visit(k);
    else
      for (Index k = 0; k < length; k += L::count) visit(std::min(k, length - L::count));
  }

 private:
  Index im;
};

template <int R, bool swapped, bool in_turns, class T>
HWY_INLINE void first_contiguous_pass(Index im, const FirstColumns<T>& columns) {
  constexpr int lanes = static_cast<int>(Lanes<T>::count);
  for (Index done = 0; done < columns.count; done += columns.step) {
    const Index column = std::min(done, columns.last), apart = afresh(2 * columns.count);
    const T *const low = columns.from[0] + 2 * column, *const high = columns.from[1] + 2 * column;
    Complex<T> y[R];
    Butterfly<R, T>::join([&](auto j)
                              SHARDFFT_INSIDE { return fetch_in_blocks<swapped>(low + j * apart, high + j * apart); },
                          [&](auto u, const Complex<T>& value) SHARDFFT_INSIDE { y[u] = value; });
    unroll<(R + lanes - 1) / lanes>([&](auto square) SHARDFFT_INSIDE {
      constexpr int first = std::min(square * lanes, R - lanes);
      unroll<2>([&](auto part) SHARDFFT_INSIDE {
        typename Lanes<T>::V rows[lanes];
        unroll<lanes>([&](auto u) SHARDFFT_INSIDE { rows[u] = part == 0 ? y[first + u].re : y[first + u].im; });
        simd::transpose<T>(rows);
        unroll<lanes>([&](auto v) SHARDFFT_INSIDE {
          constexpr int half = half_of_lane<T>(v);
          T* const at = columns.out[half] + columns.places[half][column + column_of_lane<T>(v)];
          if constexpr (in_turns)
            Lanes<T>::store(rows[v], at + 2 * first + part * lanes);
          else
            hn::StoreU(rows[v], typename Lanes<T>::D(), at + part * im + first);
        });
      });
    });
  }
}

template <int R, class T>
void first_contiguous_pass(const PassArgs<T>& a, const PencilFormat& format, const FirstColumns<T>& columns) {
  if constexpr (R % Lanes<T>::count == 0)
    if (format.step == 2)
      return a.swapped ? first_contiguous_pass<R, true, true>(format.im, columns)
                       : first_contiguous_pass<R, false, true>(format.im, columns);
  a.swapped ? first_contiguous_pass<R, true, false>(format.im, columns)
            : first_contiguous_pass<R, false, false>(format.im, columns);
}

template <int R, bool in_turns, class T>
HWY_INLINE void contiguous_pass(const PassArgs<T>& a, const PencilFormat& format, Index blocks, T* x, Index to) {
  using Elements = PencilAccess<in_turns, T>;
  const Elements access(format);
  const Index length = Elements::step * a.done;
  for (Index block = 0; block < blocks; ++block, x += R * length) {
    ForEachLane<T> table{a.table};
    Elements::for_vectors(a.done, [&](Index k) SHARDFFT_INSIDE {
      const Index apart = afresh(length);
      T* const first = x + Elements::step * k;
      twiddle_and_join<R, T>([&](auto j) SHARDFFT_INSIDE { return access.load(first + j * apart); },
                             [&](auto u, const Complex<T>& y)
                                 SHARDFFT_INSIDE { access.store(y, first + u * apart + (in_turns ? 0 : to)); },
                             table);
      table = table + twiddle_count(R);
    });
  }
}

template <int R, class T>
void contiguous_pass(const PassArgs<T>& a, const PencilFormat& format, Index blocks, T* x, Index to) {
  format.step == 2 ? contiguous_pass<R, true>(a, format, blocks, x, to)
                   : contiguous_pass<R, false>(a, format, blocks, x, to);
}

/// `ahead`: what is asked for into the second-level cache, null: nothing; then what comes `after` this pencil, most
/// often the next one, goes into the first-level cache.
template <int R, bool swapped, bool non_temporal, bool in_turns, class T>
HWY_INLINE void last_contiguous_pass(const PassArgs<T>& a, const PencilFormat& format, const T* x, const T* ahead,
                                     const T* after, T* to, T scale) {
  using L = Lanes<T>;
  using Elements = PencilAccess<in_turns, T>;
  const Elements access(format);
  ForEachLane<T> table{a.table};
  Elements::for_vectors(a.done, [&](Index k) SHARDFFT_INSIDE {
    const Index step = afresh(Elements::step * a.done), apart = in_turns ? step : afresh(2 * a.done);
    const T *const from = x + Elements::step * k, *const soon = ahead + 2 * k, *const next = after + 2 * k;
    T* const results = to + 2 * k;
    // One after the other, between what is computed: all at once in front of it they fill the queue to memory (256 from
    // memory to cache 1350 cycles a pencil instead of 1100).
    const auto load = [&](auto j) SHARDFFT_INSIDE {
      if (ahead != nullptr) {
        simd::want_soon(soon + j * apart);
        simd::want_soon(soon + j * apart + L::count);
        simd::want_now(next + j * apart);
        simd::want_now(next + j * apart + L::count);
      }
      return access.load(from + j * step);
    };
    const auto store = [&](auto u, Complex<T> y) SHARDFFT_INSIDE {
      if (scale != 1) y = {L::mul(y.re, L::all(scale)), L::mul(y.im, L::all(scale))};
      deliver<swapped, non_temporal, T>(y, reinterpret_cast<std::byte*>(results + u * apart));
    };
    twiddle_and_join<R, T>(load, store, table);
    table = table + twiddle_count(R);
  });
}

template <int R, class T>
void last_contiguous_pass(const PassArgs<T>& a, const PencilFormat& format, const T* x,
                          const ContiguousPencil& pencil) {
  const auto* ahead =
      pencil.prefetch_distance == 0 ? nullptr : reinterpret_cast<const T*>(pencil.from + pencil.prefetch_distance);
  // The next pencil may start where this one ends. The prefetch then touches lines that are already in the first-level
  // cache, which costs less than a branch.
  const Index elements = R * a.done;
  const T* const after = pencil.prefetch_distance > 2 * elements * static_cast<Index>(sizeof(T))
                             ? reinterpret_cast<const T*>(pencil.from) + 2 * elements
                             : x;
  auto* to = reinterpret_cast<T*>(pencil.to);
  const T scale = static_cast<T>(pencil.scale);
  const auto run = [&](auto swapped) HWY_ATTR {
    if (format.step == 1)
      last_contiguous_pass<R, swapped, false, false>(a, format, x, ahead, after, to, scale);
    else if (pencil.non_temporal)
      last_contiguous_pass<R, swapped, true, true>(a, format, x, ahead, after, to, scale);
    else
      last_contiguous_pass<R, swapped, false, true>(a, format, x, ahead, after, to, scale);
  };
  a.swapped ? run(std::true_type()) : run(std::false_type());
}

#endif

/// Leaves the table as it is where there is no such code: for fixed point, without vectors, for vectors of 16 bytes, of
/// which it was not measured whether it pays, and for some radices.
template <int R, class T>
void add_contiguous_passes([[maybe_unused]] Routines<T>& r) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (Lanes<T>::count * sizeof(T) >= 32 && Lanes<T>::count > 1 && runs_along_pencils(R)) {
    if constexpr (R >= Lanes<T>::count) r.first_contiguous[R] = first_contiguous_pass<R, T>;
    r.contiguous[R] = contiguous_pass<R, T>;
    r.last_contiguous[R] = last_contiguous_pass<R, T>;
  }
#endif
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
