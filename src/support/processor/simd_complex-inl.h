// Complex numbers between memory, where they lie interleaved, and registers, where real and imaginary parts are apart.
#if defined(SHARDFFT_SUPPORT_SIMD_COMPLEX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_SUPPORT_SIMD_COMPLEX_INL_H_
#undef SHARDFFT_SUPPORT_SIMD_COMPLEX_INL_H_
#else
#define SHARDFFT_SUPPORT_SIMD_COMPLEX_INL_H_
#endif

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vector = hn::Vec<Tag<T>>;
template <class T>
inline constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag<T>()));
template <class T>
inline constexpr int block_lanes = static_cast<int>(16 / sizeof(T));

/// Two rows of two blocks each.
template <class T>
HWY_INLINE void exchange_halves(Vector<T>& a, Vector<T>& b) {
  const Tag<T> d;
  const auto lower = hn::ConcatLowerLower(d, b, a);
  b = hn::ConcatUpperUpper(d, b, a);
  a = lower;
}

/// Complex numbers as they lie in memory (re, im, re, im, ...) in two registers, apart: real parts, imaginary parts.
template <class T>
HWY_INLINE void deinterleave(Vector<T> a, Vector<T> b, Vector<T>& re, Vector<T>& im) {
  const Tag<T> d;
  re = hn::ConcatEven(d, b, a);
  im = hn::ConcatOdd(d, b, a);
}

/// Deinterleaves inside each 128-bit block: first real parts from the block of a, then from the block of b; imaginary
/// parts likewise. One instruction each, without a table of lanes.
HWY_INLINE void deinterleave_in_blocks(Vector<double> a, Vector<double> b, Vector<double>& re, Vector<double>& im) {
  const Tag<double> d;
  re = hn::InterleaveLower(d, a, b);
  im = hn::InterleaveUpper(d, a, b);
}
HWY_INLINE void deinterleave_in_blocks(Vector<float> a, Vector<float> b, Vector<float>& re, Vector<float>& im) {
#if HWY_TARGET == HWY_AVX3
  re = Vector<float>{_mm512_shuffle_ps(a.raw, b.raw, 0x88)};
  im = Vector<float>{_mm512_shuffle_ps(a.raw, b.raw, 0xdd)};
#elif HWY_TARGET == HWY_AVX2
  re = Vector<float>{_mm256_shuffle_ps(a.raw, b.raw, 0x88)};
  im = Vector<float>{_mm256_shuffle_ps(a.raw, b.raw, 0xdd)};
#else
  static_assert(lanes<float> == block_lanes<float>);
  deinterleave<float>(a, b, re, im);
#endif
}

/// The reverse of deinterleave().
#if HWY_TARGET == HWY_AVX3
/// Lanes of two operands by number, those of b after those of a. One instruction, for which the vocabulary has no word.
HWY_INLINE Vector<double> pick(Vector<double> a, __m512i numbers, Vector<double> b) {
  return Vector<double>{_mm512_permutex2var_pd(a.raw, numbers, b.raw)};
}
HWY_INLINE Vector<float> pick(Vector<float> a, __m512i numbers, Vector<float> b) {
  return Vector<float>{_mm512_permutex2var_ps(a.raw, numbers, b.raw)};
}

template <class T>
HWY_INLINE void interleave(Vector<T> re, Vector<T> im, Vector<T>& a, Vector<T>& b) {
  const hn::RebindToSigned<Tag<T>> d;
  const auto odd = hn::And(hn::Iota(d, 0), hn::Set(d, 1));
  const auto low = hn::Add(hn::ShiftRight<1>(hn::Iota(d, 0)), hn::Mul(odd, hn::Set(d, lanes<T>)));
  a = pick(re, low.raw, im);
  b = pick(re, hn::Add(low, hn::Set(d, lanes<T> / 2)).raw, im);
}
#else
template <class T>
HWY_INLINE void interleave(Vector<T> re, Vector<T> im, Vector<T>& a, Vector<T>& b) {
  const Tag<T> d;
  a = hn::InterleaveLower(d, re, im);
  b = hn::InterleaveUpper(d, re, im);
  if constexpr ((lanes<T>) > (block_lanes<T>)) exchange_halves<T>(a, b);
}
#endif

/// Stores a vector; past the cache when `non_temporal`, where `to` must be aligned then.
template <bool non_temporal, class T>
HWY_INLINE void put(Vector<T> x, T* to) {
  if constexpr (non_temporal)
    hn::Stream(x, Tag<T>(), to);
  else
    hn::StoreU(x, Tag<T>(), to);
}

/// Asks for a cache line; `locality` as the compiler's builtin has it. Any address is allowed.
template <int locality, class T>
HWY_INLINE void want(const T* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p, /*write=*/0, locality);
#else
  hwy::Prefetch(p);
#endif
}
/// What the next tile will want, into the second-level cache.
template <class T>
HWY_INLINE void want_soon(const T* p) {
  want<2>(p);
}
/// What is near already, into the first-level cache.
template <class T>
HWY_INLINE void want_now(const T* p) {
  want<3>(p);
}

#endif

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
