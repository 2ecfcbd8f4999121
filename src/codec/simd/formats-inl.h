// Shorter floating-point formats: from f32 to their bits and back, rounded to nearest even, alike on every instruction
// set (Highway's own conversions are not: some cut off).
#if defined(SHARDFFT_CODEC_FORMATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_CODEC_FORMATS_INL_H_
#undef SHARDFFT_CODEC_FORMATS_INL_H_
#else
#define SHARDFFT_CODEC_FORMATS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Adds what makes cutting off the lowest `cut` bits a rounding to nearest even.
template <int cut, class V, class D>
HWY_INLINE V before_cut(D du, V bits) {
  const auto odd = hn::And(hn::ShiftRight<cut>(bits), hn::Set(du, 1));
  return hn::Add(hn::Add(bits, hn::Set(du, (1u << (cut - 1)) - 1)), odd);
}

// --- each format: how it lies in memory, and from f32 and to f32; D is a tag of as many floats as are converted at
// once ---

struct F32 {
  using Stored = float;
  template <class D>
  static HWY_INLINE hn::Vec<D> from(D, hn::Vec<D> x) {
    return x;
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> to(D, hn::Vec<D> x) {
    return x;
  }
};

template <class D>
using Halves = hn::Vec<hn::Rebind<std::uint16_t, D>>;

/// IEEE half. The conversions of the processor where it has them (F16C), else the same by integer arithmetic.
struct F16 {
  using Stored = std::uint16_t;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  template <class D>
  static HWY_INLINE Halves<D> from(D, hn::Vec<D> x) {
    return hn::BitCast(hn::Rebind<std::uint16_t, D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), x));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> to(D d, Halves<D> x) {
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), x));
  }
#else
  template <class D>
  static HWY_INLINE Halves<D> from(D d, hn::Vec<D> x) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, x);
    const auto sign = hn::And(bits, hn::Set(du, 0x80000000u)), size = hn::Xor(bits, sign);
    // 2^-24 is the last bit of 0.5f: adding that rounds subnormal halves.
    const auto half = hn::Set(du, 0x3F000000u);
    const auto subnormal = hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, size), hn::BitCast(d, half))), half);
    const auto normal = hn::ShiftRight<13>(hn::Sub(before_cut<13>(du, size), hn::Set(du, 112u << 23)));
    const auto special =
        hn::IfThenElse(hn::Gt(size, hn::Set(du, 0x7F800000u)), hn::Set(du, 0x7E00u), hn::Set(du, 0x7C00u));
    const auto small = hn::IfThenElse(hn::Lt(size, hn::Set(du, 113u << 23)), subnormal, normal);
    const auto result =
        hn::IfThenElse(hn::Lt(size, hn::Set(du, 143u << 23)), small, special);  // special: from 65536 on
    return hn::TruncateTo(hn::Rebind<std::uint16_t, D>(), hn::Or(result, hn::ShiftRight<16>(sign)));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> to(D d, Halves<D> x) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::PromoteTo(du, x);
    const auto size = hn::And(bits, hn::Set(du, 0x7FFFu)), sign = hn::ShiftLeft<16>(hn::Xor(bits, size));
    const auto finite = hn::BitCast(
        du, hn::Mul(hn::BitCast(d, hn::ShiftLeft<13>(size)), hn::Set(d, 0x1p112f)));  // exact, subnormal ones too
    const auto special = hn::Or(hn::ShiftLeft<13>(size), hn::Set(du, 0x7F800000u));
    return hn::BitCast(d, hn::Or(hn::IfThenElse(hn::Lt(size, hn::Set(du, 0x7C00u)), finite, special), sign));
  }
#endif
};

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
