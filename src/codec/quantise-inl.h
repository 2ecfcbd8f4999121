// A block of numbers as integer multiples of a step, and back. Both ends do the same operations in the same order, each rounded by itself (no fused ones where the result is decoded), so that all instruction
// sets give the same bits.
#if defined(SHARDFFT_CODEC_QUANTISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_CODEC_QUANTISE_INL_H_
#undef SHARDFFT_CODEC_QUANTISE_INL_H_
#else
#define SHARDFFT_CODEC_QUANTISE_INL_H_
#endif

#include <bit>

#include "codec/dither-inl.h"
#include "codec/planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

/// Rounding by adding and subtracting a number whose last bit is worth 1: integers up to `limit` then stand in the low bits of the sum.
template <class T>
struct Magic;
template <>
struct Magic<double> {
  static constexpr double number = 0x1.8p52, limit = 0x1p50 - 1;
  static constexpr std::int64_t bits = 0x4338000000000000;
  static constexpr int most_width = 51, most_bytes = 7;
};
template <>
struct Magic<float> {
  static constexpr float number = 0x1.8p23f, limit = 0x1p22f - 1;
  static constexpr std::int32_t bits = 0x4B400000;
  static constexpr int most_width = 23, most_bytes = 3;
};

template <class T>
using Vector = hn::Vec<Tag<T>>;

/// What quantise() finds out about a block.
template <class T>
struct Found {
  T largest;       ///< |integer|; anything when a number is not finite
  bool fits;       ///< all numbers are finite and no integer is too large
  bool zeros;      ///< all numbers are zero (only looked for with dither)
  Vector<T> lost;  ///< sums of the squares of (decoded - given) / step
};

/// The number that decode makes of an integer.
template <bool dither, class T>
HWY_INLINE Vector<T> decoded(Vector<T> integer, std::uint32_t seed, int i, Vector<T> step) {
  if constexpr (dither) integer = hn::Sub(integer, shifts(Tag<T>(), seed, i));
  return hn::Mul(integer, step);
}

/// x: 64 numbers; q: 64 integers. With dither, the shift is added before rounding.
template <bool dither, class T>
HWY_INLINE Found<T> quantise(const T* x, T step, std::uint32_t seed, SameSize<T>* q) {
  const Tag<T> d;
  const hn::RebindToSigned<Tag<T>> di;
  const auto steps = hn::Set(d, step), inverse = hn::Set(d, 1 / step), magic = hn::Set(d, Magic<T>::number);
  auto largest = hn::Zero(d), given = hn::Zero(d), lost = hn::Zero(d), lost_too = hn::Zero(d);
  HWY_UNROLL(8)
  for (int i = 0; i < many; i += lanes<T>) {
    const auto v = hn::Load(d, x + i);
    auto y = hn::Mul(v, inverse);
    if constexpr (dither) y = hn::Add(y, shifts(d, seed, i));
    const auto sum = hn::Add(y, magic), integer = hn::Sub(sum, magic);
    hn::Store(hn::Sub(hn::BitCast(di, sum), hn::Set(di, Magic<T>::bits)), di, q + i);
    largest = hn::Max(largest, hn::Abs(integer));
    if constexpr (dither) given = hn::Or(given, v);
    const auto error = hn::Mul(hn::Sub(decoded<dither, T>(integer, seed, i, steps), v), inverse);
    (i / lanes<T> % 2 == 0 ? lost : lost_too) = hn::MulAdd(error, error, i / lanes<T> % 2 == 0 ? lost : lost_too);
  }
  lost = hn::Add(lost, lost_too);
  const T most = hn::GetLane(hn::MaxOfLanes(d, largest));
  // An error that is not finite comes from a number that is not, or from an integer that was too large.
  const bool finite = hn::AllTrue(d, hn::Lt(lost, hn::Set(d, static_cast<T>(1e30))));
  return {.largest = most, .fits = finite && most <= Magic<T>::limit, .zeros = dither && hn::AllTrue(d, hn::Eq(given, hn::Zero(d))), .lost = lost};
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
HWY_INLINE Vector<float> numbers(Tag<float> d, const Rows<most>& rows, int i) {
  return hn::ConvertTo(d, integers32<count>(hn::Rebind<std::int32_t, Tag<float>>(), rows, 0, i));
}
template <int count, int most>
HWY_INLINE Vector<double> numbers(Tag<double> d, const Rows<most>& rows, int i) {
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
  const Rows<Magic<T>::most_bytes> rows(packed, width);
  with_bytes<Magic<T>::most_bytes>(width, [&](auto count) HWY_ATTR {
    HWY_UNROLL(8)
    for (int i = 0; i < many; i += lanes<T>) hn::Store(decoded<dither, T>(numbers<decltype(count)::value>(Tag<T>(), rows, i), seed, i, steps), Tag<T>(), x + i);
  });
}

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
