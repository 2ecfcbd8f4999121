// The steps of real-inl.h for one pencil whose elements are neighbours in memory: vectors along the pencil, those of
// the upper half turned round. The arithmetic is the same, so are the bits.
//
// Elements k of the lower half are taken as many at once as there are lanes, with their partners n - k. The last vector
// repeats some if they do not fill it.
#if defined(SHARDFFT_NATIVE_CONTIGUOUS_REAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_CONTIGUOUS_REAL_INL_H_
#undef SHARDFFT_NATIVE_CONTIGUOUS_REAL_INL_H_
#else
#define SHARDFFT_NATIVE_CONTIGUOUS_REAL_INL_H_
#endif

#include <algorithm>

#include "engine/native/passes/contiguous-inl.h"
#include "engine/native/passes/real-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

template <class T>
HWY_INLINE Complex<T> turned(const Complex<T>& x) {
  const typename Lanes<T>::D d;
  return {hn::Reverse(d, x.re), hn::Reverse(d, x.im)};
}

/// visit(number of the vector, k, first of the partners of k and those after it) for vectors that hold 0 to n/2.
template <class T, class Visit>
HWY_INLINE void for_pairs(Index n, Visit visit) {
  constexpr Index lanes = Lanes<T>::count;
  for (Index v = 0; v * lanes <= n / 2; ++v) {
    const Index k = std::min(v * lanes, n / 2 + 1 - lanes);
    visit(v, k, n - k - lanes + 1);
  }
}

template <class T>
HWY_INLINE void put(T re, T im, T* to) {
  to[0] = re, to[1] = im;
}

/// From the transform `x`, imaginary parts `im` behind real ones, to n + 1 elements in memory. Reads a number behind
/// the last one. Table: that of split_real in the vectors of for_pairs(). `ahead`: memory of 2n scalars to be asked
/// for; may be null.
template <class T>
void split_contiguous(const StepArgs<T>& a, const T* x, Index im, const T* ahead, T* to, T scale) {
  using L = Lanes<T>;
  const PencilAccess<false, T> access({.step = 1, .im = im});
  const auto by = L::all(scale);
  const auto store = [&](const Complex<T>& y, Index k) HWY_ATTR {
    deliver<false, false, T>({L::mul(y.re, by), L::mul(y.im, by)}, reinterpret_cast<std::byte*>(to + 2 * k));
  };
  for_pairs<T>(a.n, [&](Index v, Index k, Index mirror) HWY_ATTR {
    for (Index i = 0; ahead != nullptr && i < 4; ++i) simd::want_soon(ahead + (4 * v + i) * L::count);
    Complex<T> low = access.load(x + k), high = turned<T>(access.load(x + mirror));
    const T* const factor = a.table + 2 * v * L::count;
    split_pair<T>(low, high, {L::load(factor), L::load(factor + L::count)});
    store(low, k);
    store(turned<T>(high), mirror);
  });
  put((x[0] + x[im]) * scale, T(0), to);
  put((x[0] - x[im]) * scale, T(0), to + 2 * a.n);
  if (a.n % 2 == 0) put(x[a.n / 2] * scale, -x[im + a.n / 2] * scale, to + a.n);
}

/// From n + 1 elements in memory to n, with room for one more. Table: that of join_real in the vectors of for_pairs().
template <class T>
void join_contiguous(const StepArgs<T>& a, const T* from, T* to) {
  using L = Lanes<T>;
  const auto get = [&](Index k) HWY_ATTR { return fetch<false, T>(reinterpret_cast<const std::byte*>(from + 2 * k)); };
  const auto store = [&](const Complex<T>& y, Index k)
                         HWY_ATTR { deliver<false, false, T>(y, reinterpret_cast<std::byte*>(to + 2 * k)); };
  for_pairs<T>(a.n, [&](Index v, Index k, Index mirror) HWY_ATTR {
    const Complex<T> x = get(k), y = turned<T>(get(mirror));
    const T* const factor = a.table + 2 * v * L::count;
    const Complex<T> sum{L::add(x.re, y.re), L::sub(x.im, y.im)};
    const Complex<T> part =
        times<T>({L::sub(x.re, y.re), L::add(x.im, y.im)}, L::load(factor), L::load(factor + L::count));
    store({L::add(sum.re, part.re), L::add(sum.im, part.im)}, k);
    store(turned<T>({L::sub(sum.re, part.re), L::sub(part.im, sum.im)}), mirror);
  });
  put(from[0] + from[2 * a.n], from[0] - from[2 * a.n], to);
  if (a.n % 2 == 0) put(from[a.n] + from[a.n], -(from[a.n + 1] + from[a.n + 1]), to + a.n);
}

#endif

/// Leaves the table as it is where add_contiguous_passes() does.
template <class T>
void add_contiguous_real([[maybe_unused]] Routines<T>& r) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (Lanes<T>::count * sizeof(T) >= 32 && Lanes<T>::count > 1) {
    r.split_contiguous = split_contiguous<T>;
    r.join_contiguous = join_contiguous<T>;
  }
#endif
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
