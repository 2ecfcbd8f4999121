#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/cast_simd.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "codec/simd/cast_simd.hpp"
#include "codec/simd/formats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

// Both types have as many lanes as a vector of doubles: the sum of squares is kept in double. Vectors of f32 are half
// full.
using Sum = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Sum>;

template <class Format>
using Kept = hn::Rebind<typename Format::Stored, Sum>;

/// What is lost is counted after scaling: the same but for a power of two, since results are normal numbers.
template <class Format>
double encode_f64(const double* x, std::size_t n, double scale, typename Format::Stored* to) {
  const Sum d;
  const Floats df;
  const Kept<Format> dk;
  const auto up = hn::Set(d, scale);
  const std::size_t lanes_at_once = hn::Lanes(d);
  auto lost = hn::Zero(d), lost_too = hn::Zero(d);
  const auto error = [&](std::size_t i) HWY_ATTR {
    const auto scaled = hn::Mul(hn::LoadU(d, x + i), up);
    const auto kept = Format::from(df, hn::DemoteTo(df, scaled));
    hn::StoreU(kept, dk, to + i);
    return hn::Sub(hn::PromoteTo(d, Format::to(df, kept)), scaled);
  };
  for (std::size_t i = 0; i < n; i += 2 * lanes_at_once) {
    const auto a = error(i), b = error(i + lanes_at_once);
    lost = hn::MulAdd(a, a, lost);
    lost_too = hn::MulAdd(b, b, lost_too);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(lost, lost_too)));
}

template <class Format>
double encode_f32(const float* x, std::size_t n, float scale, typename Format::Stored* to) {
  const Sum d;
  const Floats df;
  const Kept<Format> dk;
  const auto up = hn::Set(df, scale), down = hn::Set(df, 1 / scale);
  auto lost = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto given = hn::LoadU(df, x + i);
    const auto kept = Format::from(df, hn::Mul(given, up));
    hn::StoreU(kept, dk, to + i);
    const auto error = hn::PromoteTo(d, hn::Mul(hn::Sub(hn::Mul(Format::to(df, kept), down), given), up));
    lost = hn::MulAdd(error, error, lost);
  }
  return hn::GetLane(hn::SumOfLanes(d, lost));
}

template <class Format>
void decode_f64(const typename Format::Stored* from, std::size_t n, double scale, double* x) {
  const Sum d;
  const Floats df;
  const auto down = hn::Set(d, 1 / scale);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d))
    hn::StoreU(hn::Mul(hn::PromoteTo(d, Format::to(df, hn::LoadU(Kept<Format>(), from + i))), down), d, x + i);
}

template <class Format>
void decode_f32(const typename Format::Stored* from, std::size_t n, float scale, float* x) {
  const Floats df;
  const auto down = hn::Set(df, 1 / scale);
  for (std::size_t i = 0; i < n; i += hn::Lanes(df))
    hn::StoreU(hn::Mul(Format::to(df, hn::LoadU(Kept<Format>(), from + i)), down), df, x + i);
}

template <class Format>
double encode(Scalar scalar, const std::byte* values, std::size_t n, double scale, std::byte* payload) {
  auto* to = reinterpret_cast<typename Format::Stored*>(payload);
  if (scalar == Scalar::f64) return encode_f64<Format>(reinterpret_cast<const double*>(values), n, scale, to);
  return encode_f32<Format>(reinterpret_cast<const float*>(values), n, static_cast<float>(scale), to);
}

template <class Format>
void decode(Scalar scalar, const std::byte* payload, std::size_t n, double scale, std::byte* values) {
  const auto* from = reinterpret_cast<const typename Format::Stored*>(payload);
  if (scalar == Scalar::f64)
    decode_f64<Format>(from, n, scale, reinterpret_cast<double*>(values));
  else
    decode_f32<Format>(from, n, static_cast<float>(scale), reinterpret_cast<float*>(values));
}

double cast_encode_here(CastFormat format, Scalar scalar, const std::byte* values, std::size_t n, double scale,
                        std::byte* payload) {
  switch (format) {
    case CastFormat::f32:
      return encode<F32>(scalar, values, n, scale, payload);
    case CastFormat::f16:
      return encode<F16>(scalar, values, n, scale, payload);
  }
  return 0;
}

void cast_decode_here(CastFormat format, Scalar scalar, const std::byte* payload, std::size_t n, double scale,
                      std::byte* values) {
  switch (format) {
    case CastFormat::f32:
      return decode<F32>(scalar, payload, n, scale, values);
    case CastFormat::f16:
      return decode<F16>(scalar, payload, n, scale, values);
  }
}

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace coding {
HWY_EXPORT(cast_encode_here);
HWY_EXPORT(cast_decode_here);
}  // namespace coding

inline constexpr std::size_t values_of_block = 64;

double cast_encode(CastFormat format, const Blocks<const std::byte>& blocks, double scale, std::byte* payload) {
  using namespace coding;
  return HWY_DYNAMIC_DISPATCH(cast_encode_here)(
      format, blocks.scalar, blocks.values, values_of_block * static_cast<std::size_t>(blocks.count), scale, payload);
}

void cast_decode(CastFormat format, const std::byte* payload, double scale, const Blocks<std::byte>& blocks) {
  using namespace coding;
  HWY_DYNAMIC_DISPATCH(cast_decode_here)
  (format, blocks.scalar, payload, values_of_block * static_cast<std::size_t>(blocks.count), scale, blocks.values);
}

}  // namespace shardfft
#endif
