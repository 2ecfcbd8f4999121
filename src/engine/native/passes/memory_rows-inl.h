// First and last passes that read and write memory themselves, instead of a tile that was gathered or is to be
// scattered.
//
// The processor looks some hundred instructions ahead: butterflies that load from memory compute while the loads of the
// next ones are under way, and the lines of those that store are written while the next ones compute. The arithmetic of
// these passes is the same as in passes-inl.h, so are the bits.
#if defined(SHARDFFT_NATIVE_MEMORY_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_MEMORY_ROWS_INL_H_
#undef SHARDFFT_NATIVE_MEMORY_ROWS_INL_H_
#else
#define SHARDFFT_NATIVE_MEMORY_ROWS_INL_H_
#endif

#include "engine/native/passes/passes-inl.h"
#include "support/processor/simd_complex-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

namespace simd = shardfft::HWY_NAMESPACE;

/// Asks for what a later tile loads of a row, since the rows lie too far apart for the hardware to see a pattern. For
/// its ends: its beginning may be in a line that the tile before it has.
template <class T>
HWY_INLINE void want_next(const std::byte* row) {
  const T* from = reinterpret_cast<const T*>(row);
  simd::want_soon(from + Lanes<T>::count - 1);
  simd::want_soon(from + 2 * Lanes<T>::count - 1);
}

/// Byte offsets of the rows to read and of the rows to prefetch, in registers.
struct Fetch {
  explicit Fetch(const RowSource& in)
      : offset(in.offset), wanted(in.offset + in.prefetch_distance), asks(in.prefetch_distance != 0) {}
  Index offset, wanted;
  bool asks;
};

/// Complex numbers for all lanes, next to each other in memory.
template <bool swapped, class T>
HWY_INLINE Complex<T> fetch(const std::byte* at) {
  using L = Lanes<T>;
  const T* from = reinterpret_cast<const T*>(at);
  Complex<T> x;
  simd::deinterleave<T>(hn::LoadU(typename L::D(), from), hn::LoadU(typename L::D(), from + L::count),
                        swapped ? x.im : x.re, swapped ? x.re : x.im);
  return x;
}

/// One element of all pencils of a tile.
template <class T>
HWY_INLINE Complex<T> fetch(const PassArgs<T>& a, const Fetch& how, const std::byte* row) {
  if (how.asks) want_next<T>(row + how.wanted);
  return a.swapped ? fetch<true, T>(row + how.offset) : fetch<false, T>(row + how.offset);
}

template <bool swapped, bool non_temporal, class T>
HWY_INLINE void deliver(const Complex<T>& x, std::byte* row) {
  T* to = reinterpret_cast<T*>(row);
  typename Lanes<T>::V a, b;
  simd::interleave<T>(swapped ? x.im : x.re, swapped ? x.re : x.im, a, b);
  simd::put<non_temporal, T>(a, to);
  simd::put<non_temporal, T>(b, to + Lanes<T>::count);
}

template <int R, class T>
void first_pass_of_rows(const PassArgs<T>& a, const Index* offsets, Index butterflies, Index apart, const RowSource& in,
                        Index at, T* out) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  const Fetch how(in);
  for (Index i = 0; i < butterflies; ++i, out += R * step) {
    const std::byte* const* rows = in.rows + at + offsets[i];
    Butterfly<R, T>::run([&](auto j) SHARDFFT_INSIDE { return fetch<T>(a, how, rows[j * apart]); },
                         [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE { access.store(y, out + u * step); });
  }
}

/// A result, element k, to where a target wants it.
template <class T>
HWY_INLINE void finish(const PassArgs<T>& a, Complex<T> y, const RowTarget& to, Index k) {
  using L = Lanes<T>;
  std::byte* const row = to.rows[k];
  if (row == nullptr) return;
  if (to.scale != 1) {
    const auto scale = L::all(static_cast<T>(to.scale));
    y = {L::mul(y.re, scale), L::mul(y.im, scale)};
  }
  if (to.is_non_temporal(k))
    a.swapped ? deliver<true, true, T>(y, row + to.offset) : deliver<false, true, T>(y, row + to.offset);
  else
    a.swapped ? deliver<true, false, T>(y, row + to.offset) : deliver<false, false, T>(y, row + to.offset);
}

template <int R, class T>
void last_pass_to_rows(const PassArgs<T>& a, Index first, Index last, const T* x, const RowTarget& to) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  const Index apart = a.done * step;
  const T* table = a.table + first * twiddle_count(R);
  x += first * step;
  for (Index k = first; k < last; ++k, x += step, table += twiddle_count(R)) {
    const auto load = [&](auto j) SHARDFFT_INSIDE {
      if (to.next != nullptr) want_next<T>(to.next[k + j * a.done] + to.next_offset);
      return access.load(x + j * apart);
    };
    twiddle_and_join<R, T>(
        load, [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE { finish(a, y, to, k + u * a.done); },
        ForAllLanes<T>{table});
  }
}

/// A pass that is the first one and the last one.
template <int R, class T>
void only_pass_to_rows(const PassArgs<T>& a, const RowSource* in, const T* tile, const RowTarget& to) {
  const Access<T> access(a.swapped);
  const auto put = [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE { finish(a, y, to, u); };
  if (in == nullptr)
    Butterfly<R, T>::run([&](auto j) SHARDFFT_INSIDE { return access.load(tile + j * Access<T>::step); }, put);
  else
    Butterfly<R, T>::run([&, how = Fetch(*in)](auto j) SHARDFFT_INSIDE { return fetch<T>(a, how, in->rows[j]); }, put);
}

#endif

/// Leaves the table as it is where there is no such code: for fixed point, and without vectors.
template <int R, class T>
void add_passes_of_rows([[maybe_unused]] Routines<T>& r) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (Lanes<T>::count > 1) {
    r.first_of_rows[R] = first_pass_of_rows<R, T>;
    r.last_to_rows[R] = last_pass_to_rows<R, T>;
    r.only_to_rows[R] = only_pass_to_rows<R, T>;
  }
#endif
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
