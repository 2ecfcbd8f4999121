// First and last passes that read and write memory themselves, instead of a tile that was gathered or is to be scattered.
//
// The processor looks some hundred instructions ahead: butterflies that load from memory compute while the loads of the next ones are under way, and the lines of
// those that store are written while the next ones compute. The arithmetic of these passes is the same as in passes-inl.h, so are the bits.
#if defined(SHARDFFT_NATIVE_MEMORY_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_MEMORY_ROWS_INL_H_
#undef SHARDFFT_NATIVE_MEMORY_ROWS_INL_H_
#else
#define SHARDFFT_NATIVE_MEMORY_ROWS_INL_H_
#endif

#include "engine/native/passes-inl.h"
#include "support/simd_complex-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

namespace simd = shardfft::HWY_NAMESPACE;

/// One element of all pencils of a tile, next to each other in memory.
template <bool swapped, class T>
HWY_INLINE Complex<T> fetch(const std::byte* row, bool ahead) {
  using L = Lanes<T>;
  const T* from = reinterpret_cast<const T*>(row);
  if (ahead) {  // the rows lie too far apart for the hardware to see a pattern. Ends of what the next tile loads: its beginning may be in a line that this one has
    simd::want_soon(from + 3 * L::count - 1);
    simd::want_soon(from + 4 * L::count - 1);
  }
  Complex<T> x;
  simd::deinterleave<T>(hn::LoadU(typename L::D(), from), hn::LoadU(typename L::D(), from + L::count), swapped ? x.im : x.re, swapped ? x.re : x.im);
  return x;
}

template <bool swapped, bool streamed, class T>
HWY_INLINE void deliver(const Complex<T>& x, std::byte* row) {
  T* to = reinterpret_cast<T*>(row);
  typename Lanes<T>::V a, b;
  simd::interleave<T>(swapped ? x.im : x.re, swapped ? x.re : x.im, a, b);
  simd::put<streamed, T>(a, to);
  simd::put<streamed, T>(b, to + Lanes<T>::count);
}

template <int R, class T>
void first_pass_of_rows(const PassArgs<T>& a, const Index* offsets, Index butterflies, Index apart, const RowSource& in, Index at, T* out) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  for (Index i = 0; i < butterflies; ++i, out += R * step) {
    const std::byte* const* rows = in.rows + at + offsets[i];
    Complex<T> x[R];
    if (a.swapped)
      unroll<R>([&](auto j) SHARDFFT_INSIDE { x[j] = fetch<true, T>(rows[j * apart] + in.offset, in.ahead); });
    else
      unroll<R>([&](auto j) SHARDFFT_INSIDE { x[j] = fetch<false, T>(rows[j * apart] + in.offset, in.ahead); });
    Butterfly<R, true, T>::run(x, nullptr);
    unroll<R>([&](auto u) SHARDFFT_INSIDE { access.store(x[u], out + u * step); });
  }
}

template <int R, bool swapped, bool streamed, class T>
HWY_INLINE void deliver_all(const Complex<T> (&y)[R], std::byte* const* rows, Index apart, Index offset) {
  unroll<R>([&](auto u) SHARDFFT_INSIDE { deliver<swapped, streamed, T>(y[u], rows[u * apart] + offset); });
}

/// Results of a butterfly to rows[0], rows[apart], ...
template <int R, class T>
HWY_INLINE void finish(const PassArgs<T>& a, Complex<T> (&y)[R], const RowTarget& to, std::byte* const* rows, Index apart) {
  using L = Lanes<T>;
  if (to.scale != 1) {
    const auto scale = L::all(static_cast<T>(to.scale));
    unroll<R>([&](auto u) SHARDFFT_INSIDE { y[u] = {L::mul(y[u].re, scale), L::mul(y[u].im, scale)}; });
  }
  if (to.stream)
    a.swapped ? deliver_all<R, true, true, T>(y, rows, apart, to.offset) : deliver_all<R, false, true, T>(y, rows, apart, to.offset);
  else
    a.swapped ? deliver_all<R, true, false, T>(y, rows, apart, to.offset) : deliver_all<R, false, false, T>(y, rows, apart, to.offset);
}

template <TwiddleForm form, int R, class T>
void last_pass_to_rows(const PassArgs<T>& a, const T* x, const RowTarget& to) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  const Index apart = a.done * step;
  const T* table = a.table;
  for (Index k = 0; k < a.done; ++k, x += step, table += constant_count(form, R)) {
    Complex<T> y[R];
    unroll<R>([&](auto j) SHARDFFT_INSIDE { y[j] = access.load(x + j * apart); });
    twiddle_and_join<form>(y, table);
    finish(a, y, to, to.rows + k, a.done);
  }
}

/// A pass that is the first one and the last one.
template <int R, class T>
void only_pass_to_rows(const PassArgs<T>& a, const RowSource* in, const T* tile, const RowTarget& to) {
  const Access<T> access(a.swapped);
  Complex<T> x[R];
  if (in == nullptr)
    unroll<R>([&](auto j) SHARDFFT_INSIDE { x[j] = access.load(tile + j * Access<T>::step); });
  else if (a.swapped)
    unroll<R>([&](auto j) SHARDFFT_INSIDE { x[j] = fetch<true, T>(in->rows[j] + in->offset, in->ahead); });
  else
    unroll<R>([&](auto j) SHARDFFT_INSIDE { x[j] = fetch<false, T>(in->rows[j] + in->offset, in->ahead); });
  Butterfly<R, true, T>::run(x, nullptr);
  finish(a, x, to, to.rows, 1);
}

#endif

/// Leaves the table as it is where there is no such code: for long double, and without vectors.
template <TwiddleForm form, int R, class T>
void add_passes_of_rows([[maybe_unused]] Routines<T>& r) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (Lanes<T>::count > 1) {
    r.first_of_rows[R] = first_pass_of_rows<R, T>;
    r.last_to_rows[R] = last_pass_to_rows<form, R, T>;
    r.only_to_rows[R] = only_pass_to_rows<R, T>;
  }
#endif
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
