// The steps of real-inl.h for one pencil whose elements are neighbours in memory: vectors along the pencil, those of
// the upper half turned round. The arithmetic is the same, so are the bits.
//
// Elements k of the lower half are taken as many at once as there are lanes, with their partners n - k. n is a multiple
// of the lanes, and all is read and stored in vectors that begin at such multiples: what is stored here is read again
// at once, and a load from two stores waits until both have reached the cache.
#if defined(SHARDFFT_NATIVE_CONTIGUOUS_REAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_CONTIGUOUS_REAL_INL_H_
#undef SHARDFFT_NATIVE_CONTIGUOUS_REAL_INL_H_
#else
#define SHARDFFT_NATIVE_CONTIGUOUS_REAL_INL_H_
#endif

#include <cstring>

#include "engine/native/passes/memory_rows-inl.h"
#include "engine/native/passes/real-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// The first lane, the last one, and those before it: of vectors of neighbours that begin at multiples of the lanes
/// these are the elements -k for k, but for the first one, which is in another vector.
template <class T>
HWY_INLINE Complex<T> turned(const Complex<T>& x) {
  const typename Lanes<T>::D d;
  const hn::RebindToSigned<typename Lanes<T>::D> numbers;
  const auto order = hn::IndicesFromVec(
      d, hn::And(hn::Sub(hn::Zero(numbers), hn::Iota(numbers, 0)), hn::Set(numbers, Lanes<T>::count - 1)));
  return {hn::TableLookupLanes(x.re, order), hn::TableLookupLanes(x.im, order)};
}

/// `x` with another number in the first lane, or in the first half of them.
template <class T>
HWY_INLINE Complex<T> with_first(const Complex<T>& first, const Complex<T>& x, Index lanes = 1) {
  const auto mask = hn::FirstN(typename Lanes<T>::D(), static_cast<std::size_t>(lanes));
  return {hn::IfThenElse(mask, first.re, x.re), hn::IfThenElse(mask, first.im, x.im)};
}

template <class T>
HWY_INLINE Complex<T> everywhere(T re, T im) {
  return {Lanes<T>::all(re), Lanes<T>::all(im)};
}

/// Stores results 0 to n - 1: those of pair(k, low, high) for vectors of k and n - k, except for those at 0 and n/2,
/// which have no partners.
template <class T, class Pair>
HWY_INLINE void put_pairs(Index n, const Complex<T>& at_0, const Complex<T>& at_middle, T* to, Pair pair) {
  constexpr Index lanes = Lanes<T>::count;
  const auto put = [&](const Complex<T>& x, Index k)
                       HWY_ATTR { deliver<false, false, T>(x, reinterpret_cast<std::byte*>(to + 2 * k)); };
  const Index top = (n - 1) / 2 / lanes * lanes;
  Complex<T> low, high, above = at_middle;
  for (Index k = top; k >= 0; k -= lanes) {
    pair(k, low, high);
    if (k == 0) low = with_first<T>(at_0, low);
    high = turned<T>(high);
    const Complex<T> upper = with_first<T>(above, high);
    above = high;
    if (2 * (k + lanes) <= n)
      put(low, k), put(upper, n - k - lanes);
    else  // n/2 is in the middle of both
      put(with_first<T>(low, upper, lanes / 2), k);
  }
  if (2 * (top + lanes) > n) {
    alignas(64) T middle[2 * lanes];
    deliver<false, false, T>(at_middle, reinterpret_cast<std::byte*>(middle));
    std::memcpy(to + n, middle, 2 * sizeof(T));
  }
}

/// From the transform `x`, in vectors of real and imaginary parts, to elements in memory. Table: that of split_real in
/// such vectors, from element 0 on. `ahead`: memory of 2n scalars to be asked for; may be null.
template <class T>
void split_contiguous(const StepArgs<T>& a, const T* x, const T* ahead, T* to, T scale) {
  using L = Lanes<T>;
  const Access<T> access(false);
  const auto by = L::all(scale);
  const T* middle = x + a.n / 2 / L::count * 2 * L::count + a.n / 2 % L::count;
  put_pairs<T>(a.n, everywhere<T>((x[0] + x[L::count]) * scale, 0),
               everywhere<T>(middle[0] * scale, -middle[L::count] * scale), to,
               [&](Index k, Complex<T>& low, Complex<T>& high) HWY_ATTR {
                 for (Index i = 0; ahead != nullptr && i < 4; ++i) simd::want_soon(ahead + 4 * k + i * L::count);
                 const T* partner = x + 2 * (k == 0 ? 0 : a.n - k);
                 low = access.load(x + 2 * k);
                 high = with_first<T>(everywhere<T>(partner[0], partner[L::count]),
                                      turned<T>(access.load(x + 2 * (a.n - k - L::count))));
                 split_pair<T>(low, high, access.load(a.table + 2 * k));
                 low = {L::mul(low.re, by), L::mul(low.im, by)};
                 high = {L::mul(high.re, by), L::mul(high.im, by)};
               });
  to[2 * a.n] = (x[0] - x[L::count]) * scale, to[2 * a.n + 1] = 0;
}

/// From elements in memory to elements. Table: that of join_real in vectors, from element 0 on.
template <class T>
void join_contiguous(const StepArgs<T>& a, const T* from, T* to) {
  using L = Lanes<T>;
  const Access<T> access(false);
  const auto get = [&](Index k) HWY_ATTR { return fetch<false, T>(reinterpret_cast<const std::byte*>(from + 2 * k)); };
  const T* middle = from + a.n;
  put_pairs<T>(a.n, everywhere<T>(from[0] + from[2 * a.n], from[0] - from[2 * a.n]),
               everywhere<T>(middle[0] + middle[0], -(middle[1] + middle[1])), to,
               [&](Index k, Complex<T>& low, Complex<T>& high) HWY_ATTR {
                 const T* partner = from + 2 * (a.n - k);
                 const Complex<T> x = get(k),
                                  y = with_first<T>(everywhere<T>(partner[0], partner[1]),
                                                    turned<T>(get(a.n - k - L::count))),
                                  w = access.load(a.table + 2 * k);
                 const Complex<T> sum{L::add(x.re, y.re), L::sub(x.im, y.im)};
                 const Complex<T> part = times<T>({L::sub(x.re, y.re), L::add(x.im, y.im)}, w.re, w.im);
                 low = {L::add(sum.re, part.re), L::add(sum.im, part.im)};
                 high = {L::sub(sum.re, part.re), L::sub(part.im, sum.im)};
               });
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
