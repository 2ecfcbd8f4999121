// Shorter floating-point formats, number by number: the same bits as codec/simd/formats-inl.h with the conversions of
// the processor (Inf, NaN and what stands in one included).
#pragma once

#include <cstdint>

#include "device/kernels/exact.hpp"

namespace shardfft::kernels {

/// To f32, NaN with its sign and what it has of its upper bits.
SHARDFFT_HD inline float narrow(double x) {
  if (x == x) return static_cast<float>(x);
  const auto bits = same_bits<std::uint64_t>(x);
  return same_bits<float>(static_cast<std::uint32_t>(bits >> 32 & 0x80000000U) | 0x7FC00000U |
                          static_cast<std::uint32_t>(bits >> 29 & 0x3FFFFFU));
}
SHARDFFT_HD inline float narrow(float x) { return x; }

SHARDFFT_HD inline double widen(float x) {
  if (x == x) return static_cast<double>(x);
  const auto bits = same_bits<std::uint32_t>(x);
  return same_bits<double>(static_cast<std::uint64_t>(bits & 0x80000000U) << 32 | 0x7FF8000000000000U |
                           static_cast<std::uint64_t>(bits & 0x3FFFFFU) << 29);
}

/// x * factor; NaN comes back as it is, but quiet.
SHARDFFT_HD inline float scaled(float x, float factor) {
  return x == x ? mul(x, factor) : same_bits<float>(same_bits<std::uint32_t>(x) | 0x400000U);
}
SHARDFFT_HD inline double scaled(double x, double factor) {
  return x == x ? mul(x, factor) : same_bits<double>(same_bits<std::uint64_t>(x) | 0x8000000000000U);
}

/// Adds what makes cutting off the lowest `cut` bits a rounding to nearest even.
template <int cut>
SHARDFFT_HD std::uint32_t before_cut(std::uint32_t bits) {
  return bits + ((1U << (cut - 1)) - 1) + (bits >> cut & 1);
}

// --- each format: how it lies in memory, and from f32 and to f32 ---

struct CastF32 {
  using Stored = float;
  SHARDFFT_HD static Stored from(float x) { return x; }
  SHARDFFT_HD static float to(Stored x) { return x; }
};

/// IEEE half.
struct CastF16 {
  using Stored = std::uint16_t;
  SHARDFFT_HD static Stored from(float x) {
    const auto bits = same_bits<std::uint32_t>(x);
    const std::uint32_t sign = bits & 0x80000000U, size = bits ^ sign;
    std::uint32_t half = 0;
    if (size > 0x7F800000U)
      half = 0x7E00U | (size >> 13 & 0x1FFU);
    else if (size >= 143U << 23)  // from 65536 on, where the next number would be
      half = 0x7C00U;
    else if (size >= 113U << 23)
      half = (before_cut<13>(size) - (112U << 23)) >> 13;  // may become Inf
    else  // 2^-24 is the last bit of 0.5: adding that rounds subnormal halves
      half = same_bits<std::uint32_t>(add(same_bits<float>(size), 0.5F)) - 0x3F000000U;
    return static_cast<Stored>(half | sign >> 16);
  }
  SHARDFFT_HD static float to(Stored x) {
    const std::uint32_t size = x & 0x7FFFU, sign = static_cast<std::uint32_t>(x & 0x8000U) << 16;
    if (size > 0x7C00U) return same_bits<float>(sign | 0x7FC00000U | (size & 0x3FFU) << 13);
    if (size == 0x7C00U) return same_bits<float>(sign | 0x7F800000U);
    return same_bits<float>(same_bits<std::uint32_t>(mul(same_bits<float>(size << 13), 0x1p112F)) |
                            sign);  // exact, subnormal ones too
  }
};

/// What is stored of a number.
template <class Format, class T>
SHARDFFT_HD typename Format::Stored cast_number(T x, T scale) {
  return Format::from(narrow(scaled(x, scale)));
}

/// The number that comes back; `down`: 1 / scale.
SHARDFFT_HD inline double cast_back(float kept, double down) { return scaled(widen(kept), down); }
SHARDFFT_HD inline float cast_back(float kept, float down) { return scaled(kept, down); }

/// scale * (decoded - given).
SHARDFFT_HD inline double cast_error(float kept, double given, double scale) {
  return sub(widen(kept), mul(given, scale));
}
SHARDFFT_HD inline double cast_error(float kept, float given, float scale) {
  return mul(sub(mul(kept, inverse(scale)), given), scale);
}

}  // namespace shardfft::kernels
