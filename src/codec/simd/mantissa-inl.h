// A block of numbers with fewer bits of fraction, as integers: sign, and exponent and fraction together, counted from
// the smallest exponent of the block. Zero is zero.
#if defined(SHARDFFT_CODEC_MANTISSA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_CODEC_MANTISSA_INL_H_
#undef SHARDFFT_CODEC_MANTISSA_INL_H_
#else
#define SHARDFFT_CODEC_MANTISSA_INL_H_
#endif

#include <bit>
#include <limits>

#include "codec/simd/planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

template <class T>
using Unsigned = std::make_unsigned_t<SameSize<T>>;

template <class T>
inline constexpr int fraction_bits = sizeof(T) == 8 ? 52 : 23;
/// Exponent of Inf and NaN.
template <class T>
inline constexpr int most_exponent = sizeof(T) == 8 ? 0x7FF : 0xFF;
template <class T>
inline constexpr Unsigned<T> sign_bit = Unsigned<T>{1} << (8 * sizeof(T) - 1);

template <class T>
struct Rounded {
  Unsigned<T> smallest, largest;  ///< exponent and fraction together, of numbers that are not zero; smallest > largest
                                  ///< when there are none
  double lost;                    ///< sum of ((rounded - given) inverse_unit)^2; anything when a number is not finite
};

HWY_INLINE double sum_of_squares(const double* errors, double inverse_unit) {
  const hn::ScalableTag<double> d;
  auto sum = hn::Zero(d);
  for (int i = 0; i < many; i += lanes<double>) {
    const auto e = hn::Mul(hn::Load(d, errors + i), hn::Set(d, inverse_unit));
    sum = hn::MulAdd(e, e, sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}
HWY_INLINE double sum_of_squares(const float* errors, double inverse_unit) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  auto sum = hn::Zero(d);
  for (int i = 0; i < many; i += lanes<double>) {
    const auto e = hn::Mul(hn::PromoteTo(d, hn::Load(df, errors + i)), hn::Set(d, inverse_unit));
    sum = hn::MulAdd(e, e, sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

/// The bits of 64 numbers rounded to nearest even after `bits` of fraction, without the others; the sign stays the
/// highest bit. A carry goes into the exponent, as it must.
template <class T>
HWY_INLINE Rounded<T> round_off(const T* x, int bits, double inverse_unit, SameSize<T>* q) {
  const Tag<T> d;
  const hn::RebindToSigned<Tag<T>> di;
  const hn::RebindToUnsigned<Tag<T>> du;
  const int cut = fraction_bits<T> - bits;
  const auto sign_mask = hn::Set(du, sign_bit<T>), odd = hn::Set(du, cut == 0 ? 0u : 1u),
             half = hn::Set(du, cut == 0 ? 0 : (Unsigned<T>{1} << (cut - 1)) - 1);
  const auto none = hn::Set(di, std::numeric_limits<SameSize<T>>::max());
  auto smallest = none, largest = hn::Zero(di);
  alignas(64) T errors[many];
  HWY_UNROLL(8)
  for (int i = 0; i < many; i += lanes<T>) {
    const auto v = hn::Load(d, x + i);
    const auto p = hn::BitCast(du, v), sign = hn::And(p, sign_mask), size = hn::Xor(p, sign);
    const auto rounded =
        hn::ShiftRightSame(hn::Add(size, hn::Add(half, hn::And(hn::ShiftRightSame(size, cut), odd))), cut);
    const auto m = hn::BitCast(di, rounded);
    largest = hn::Max(largest, m);
    smallest = hn::Min(smallest, hn::IfThenElse(hn::Eq(m, hn::Zero(di)), none, m));
    hn::Store(hn::BitCast(di, hn::Or(rounded, sign)), di, q + i);
    hn::Store(hn::Sub(hn::BitCast(d, hn::Or(hn::ShiftLeftSame(rounded, cut), sign)), v), d, errors + i);
  }
  return {.smallest = static_cast<Unsigned<T>>(hn::GetLane(hn::MinOfLanes(di, smallest))),
          .largest = static_cast<Unsigned<T>>(hn::GetLane(hn::MaxOfLanes(di, largest))),
          .lost = sum_of_squares(errors, inverse_unit)};
}

/// From what round_off left to signed integers: 0 for zero, else +-(bits - base + 1).
template <class T>
HWY_INLINE void count_from(Unsigned<T> base, SameSize<T>* q) {
  const hn::RebindToSigned<Tag<T>> di;
  const hn::RebindToUnsigned<Tag<T>> du;
  const auto offset = hn::Set(du, Unsigned<T>{1} - base), sign_mask = hn::Set(du, sign_bit<T>);
  HWY_UNROLL(8)
  for (int i = 0; i < many; i += lanes<T>) {
    const auto p = hn::Load(di, q + i);
    const auto size = hn::AndNot(sign_mask, hn::BitCast(du, p));
    const auto code = hn::IfThenZeroElse(hn::Eq(size, hn::Zero(du)), hn::Add(size, offset));
    const auto negative = hn::BitCast(du, hn::BroadcastSignBit(p));
    hn::Store(hn::BitCast(di, hn::Sub(hn::Xor(code, negative), negative)), di, q + i);
  }
}

template <int count, int most>
HWY_INLINE auto integers_like(float, const PackedRows<most>& rows, int i) {
  return integers32<count>(hn::RebindToSigned<Tag<float>>(), rows, 0, i);
}
template <int count, int most>
HWY_INLINE auto integers_like(double, const PackedRows<most>& rows, int i) {
  return integers64<count>(hn::RebindToSigned<Tag<double>>(), rows, i);
}

/// 64 numbers from the integers of count_from, packed.
template <class T>
HWY_INLINE void restore(const std::uint8_t* packed, int width, int bits, Unsigned<T> base, T* x) {
  const PackedRows<sizeof(T)> rows(packed, width);
  with_bytes<sizeof(T)>(width, [&](auto count) HWY_ATTR {
    const Tag<T> d;
    const hn::RebindToUnsigned<Tag<T>> du;
    HWY_UNROLL(8)
    for (int i = 0; i < many; i += lanes<T>) {
      const auto q = integers_like<decltype(count)::value>(T{}, rows, i);
      const auto negative = hn::BitCast(du, hn::BroadcastSignBit(q));
      const auto code = hn::Sub(hn::Xor(hn::BitCast(du, q), negative), negative);
      const auto size = hn::IfThenZeroElse(hn::Eq(code, hn::Zero(du)), hn::Add(code, hn::Set(du, base - 1)));
      const auto sign = hn::And(negative, hn::Set(du, sign_bit<T>));
      hn::Store(hn::BitCast(d, hn::Or(hn::ShiftLeftSame(size, fraction_bits<T> - bits), sign)), d, x + i);
    }
  });
}

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
