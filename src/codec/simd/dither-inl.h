// Subtractive dither: a shift for every number of a block, seemingly random, that both ends compute from the block's
// key and the number's position.
#if defined(SHARDFFT_CODEC_DITHER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_CODEC_DITHER_INL_H_
#undef SHARDFFT_CODEC_DITHER_INL_H_
#else
#define SHARDFFT_CODEC_DITHER_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Spreads the key over all bits (the finaliser of splitmix64: Steele, Lea, Flood, Fast splittable pseudorandom number
/// generators, OOPSLA 2014).
HWY_INLINE std::uint32_t seed_of(std::uint64_t key) {
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9ull;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EBull;
  return static_cast<std::uint32_t>(key >> 32);
}

/// Shifts in [-1/2, 1/2) of numbers i and those after it, for as many as D (a tag of float or double) has lanes: exact
/// multiples of 2^-24 (f32) or 2^-32 (f64). The hash: two multiplications and one shift (docs/theory/codecs.md: what it
/// was tested for).
template <class D>
HWY_INLINE hn::Vec<D> shifts(D d, std::uint32_t seed, int i) {
  const hn::Rebind<std::uint32_t, D> du;
  const hn::Rebind<std::int32_t, D> di;
  constexpr std::uint32_t golden = 0x9E3779B1u;
  auto z = hn::Add(hn::Mul(hn::Iota(du, 0), hn::Set(du, golden)),
                   hn::Set(du, static_cast<std::uint32_t>(i) * golden + seed));
  z = hn::Mul(hn::Xor(z, hn::ShiftRight<15>(z)), hn::Set(du, 0x846CA68Bu));
  const auto signed_z = hn::BitCast(di, z);
  if constexpr (sizeof(hn::TFromD<D>) == 4)
    return hn::Mul(hn::ConvertTo(d, hn::ShiftRight<8>(signed_z)), hn::Set(d, 0x1p-24f));
  else
    return hn::Mul(hn::PromoteTo(d, signed_z), hn::Set(d, 0x1p-32));
}

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
