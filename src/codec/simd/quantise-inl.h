// A block of numbers as integer multiples of a step, and back. Both ends do the same operations in the same order, each
// rounded by itself (no fused ones where the result is decoded), so that all instruction sets give the same bits.
#if defined(SHARDFFT_CODEC_QUANTISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_CODEC_QUANTISE_INL_H_
#undef SHARDFFT_CODEC_QUANTISE_INL_H_
#else
#define SHARDFFT_CODEC_QUANTISE_INL_H_
#endif

#include <bit>

#include "codec/simd/dither-inl.h"
#include "codec/simd/planes-inl.h"
#include "support/block_format.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

template <class T>
using Vector = hn::Vec<Tag<T>>;

/// What quantise() finds out about a block.
template <class T>
struct QuantisedBlock {
  T largest;       ///< |integer|; anything when a number is not finite
  bool fits;       ///< all numbers are finite and no integer is too large
  bool zeros;      ///< all numbers are zero (only looked for with dither)
  Vector<T> lost;  ///< sums of the squares of (decoded - given) / step
};

/// max(largest, |x|), for largest >= 0.
template <class V>
HWY_INLINE V largest_of(V largest, V x) {
  return hn::Max(largest, hn::Abs(x));
}
#if HWY_TARGET == HWY_AVX3  // one instruction instead of two
HWY_INLINE Vector<double> largest_of(Vector<double> largest, Vector<double> x) {
  return {_mm512_range_pd(largest.raw, x.raw, 0x0B)};
}
HWY_INLINE Vector<float> largest_of(Vector<float> largest, Vector<float> x) {
  return {_mm512_range_ps(largest.raw, x.raw, 0x0B)};
}
#endif

/// The number that decode makes of an integer.
template <bool dither, class T>
HWY_INLINE Vector<T> decoded(Vector<T> integer, std::uint32_t seed, int i, Vector<T> step) {
  if constexpr (dither) integer = hn::Sub(integer, shifts(Tag<T>(), seed, i));
  return hn::Mul(integer, step);
}

/// v / step, with its shift: what is rounded.
template <bool dither, class T>
HWY_INLINE Vector<T> in_steps(Vector<T> v, std::uint32_t seed, int i, Vector<T> inverse) {
  const auto y = hn::Mul(v, inverse);
  if constexpr (dither)
    return hn::Add(y, shifts(Tag<T>(), seed, i));
  else
    return y;
}

/// Sums of the squares of (decoded - given) / step, from the very numbers that decode makes.
template <bool dither, class T>
HWY_INLINE Vector<T> loss(const T* x, T step, std::uint32_t seed) {
  const Tag<T> d;
  const auto steps = hn::Set(d, step), inverse = hn::Set(d, 1 / step), magic = hn::Set(d, Magic<T>::number);
  auto lost = hn::Zero(d);
  HWY_UNROLL(8)
  for (int i = 0; i < many; i += lanes<T>) {
    const auto v = hn::Load(d, x + i);
    const auto integer = hn::Sub(hn::Add(in_steps<dither, T>(v, seed, i, inverse), magic), magic);
    const auto error = hn::Mul(hn::Sub(decoded<dither, T>(integer, seed, i, steps), v), inverse);
    lost = hn::MulAdd(error, error, lost);
  }
  return lost;
}

/// x: 64 numbers; q: the bits of 64 integers on top of those of Magic (the lower half of an integer stands there as it
/// is).
template <bool dither, class T>
HWY_INLINE QuantisedBlock<T> quantise(const T* x, T step, std::uint32_t seed, SameSize<T>* q) {
  const Tag<T> d;
  const hn::RebindToSigned<Tag<T>> di;
  constexpr bool exact_here = Magic<T>::easy == 0;  // or a second time, where the integers are large
  const auto inverse = hn::Set(d, 1 / step), magic = hn::Set(d, Magic<T>::number);
  auto largest = hn::Zero(d), given = hn::Zero(d), lost = hn::Zero(d), lost_too = hn::Zero(d);
  HWY_UNROLL(8)
  for (int i = 0; i < many; i += lanes<T>) {
    const auto v = hn::Load(d, x + i), y = in_steps<dither, T>(v, seed, i, inverse), sum = hn::Add(y, magic),
               integer = hn::Sub(sum, magic);
    hn::Store(hn::BitCast(di, sum), di, q + i);
    largest = largest_of(largest, integer);
    if constexpr (dither) given = hn::Or(given, v);
    Vector<T> error;
    if constexpr (exact_here)
      error = hn::Mul(hn::Sub(decoded<dither, T>(integer, seed, i, hn::Set(d, step)), v), inverse);
    else if constexpr (dither)
      error = hn::Sub(integer, y);
    else
      error = hn::NegMulAdd(
          v, inverse,
          integer);  // not integer - y: where additions have units of their own, there are more of these to do
    (i / lanes<T> % 2 == 0 ? lost : lost_too) = hn::MulAdd(error, error, i / lanes<T> % 2 == 0 ? lost : lost_too);
  }
  lost = hn::Add(lost, lost_too);
  const T most = hn::GetLane(hn::MaxOfLanes(d, largest));
  // An error that is not finite comes from a number that is not, or from an integer that was too large.
  bool fits = hn::AllTrue(d, hn::Lt(lost, hn::Set(d, static_cast<T>(1e30)))) && most <= Magic<T>::limit;
  if (!exact_here && fits && most > Magic<T>::easy) {
    lost = loss<dither, T>(x, step, seed);
    fits =
        hn::AllTrue(d, hn::Lt(lost, hn::Set(d, static_cast<T>(1e30))));  // decoded, the largest numbers may be infinite
  }
  return {.largest = most, .fits = fits, .zeros = dither && hn::AllTrue(d, hn::Eq(given, hn::Zero(d))), .lost = lost};
}

/// From what quantise left to integers, where `width` reaches into the upper half.
template <class T>
HWY_INLINE void take_magic_off(int width, SameSize<T>* q) {
  if (width <= static_cast<int>(4 * sizeof(T))) return;
  const hn::RebindToSigned<Tag<T>> di;
  for (int i = 0; i < many; i += lanes<T>)
    hn::Store(hn::Sub(hn::Load(di, q + i), hn::Set(di, Magic<T>::bits)), di, q + i);
}

/// Bits that +-|q| <= largest needs in two's complement; 0 for 0.
HWY_INLINE int width_of(double largest) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> 52) - 1023;
  return largest < 1 ? 0 : exponent + 2;
}

/// Adds lanes of any type to a sum in double.
HWY_INLINE void add_to(hn::Vec<hn::ScalableTag<double>>& sum, Vector<double> x) { sum = hn::Add(sum, x); }
template <class V>
HWY_INLINE void add_to(hn::Vec<hn::ScalableTag<double>>& sum, V x) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  alignas(64) float part[lanes<float>];
  hn::Store(x, Tag<float>(), part);
  for (int i = 0; i < lanes<float>; i += lanes<double>) sum = hn::Add(sum, hn::PromoteTo(d, hn::Load(df, part + i)));
}

/// Numbers from integers i and those after it, of `count` bytes.
template <int count, int most>
HWY_INLINE Vector<float> numbers(Tag<float> d, const PackedRows<most>& rows, int i) {
  return hn::ConvertTo(d, integers32<count>(hn::Rebind<std::int32_t, Tag<float>>(), rows, 0, i));
}
template <int count, int most>
HWY_INLINE Vector<double> numbers(Tag<double> d, const PackedRows<most>& rows, int i) {
  if constexpr (count <= 4) {
    return hn::PromoteTo(d, integers32<count>(hn::Rebind<std::int32_t, Tag<double>>(), rows, 0, i));
  } else {
    const hn::RebindToSigned<Tag<double>> di;
    const auto bits = hn::Add(integers64<count>(di, rows, i), hn::Set(di, Magic<double>::bits));
    return hn::Sub(hn::BitCast(d, bits), hn::Set(d, Magic<double>::number));
  }
}

/// 64 numbers from 64 packed integers.
template <bool dither, class T>
HWY_INLINE void restore(const std::uint8_t* packed, int width, T step, std::uint32_t seed, T* x) {
  const Tag<T> d;
  const auto steps = hn::Set(d, step);
  const PackedRows<Magic<T>::most_bytes> rows(packed, width);
  with_bytes<Magic<T>::most_bytes>(width, [&](auto count) HWY_ATTR {
    HWY_UNROLL(8)
    for (int i = 0; i < many; i += lanes<T>)
      hn::Store(decoded<dither, T>(numbers<decltype(count)::value>(Tag<T>(), rows, i), seed, i, steps), Tag<T>(),
                x + i);
  });
}

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
