// Numbers as integer multiples of a step, and back: the operations of codec/simd/quantise-inl.h and
// codec/simd/dither-inl.h, number by number and in the same order, so that both give the same bits.
#pragma once

#include <type_traits>

#include "device/kernels/exact.hpp"
#include "support/block_format.hpp"

namespace shardfft::kernels {

template <class T>
using IntegerOf = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
template <class T>
using BitsOf = std::make_unsigned_t<IntegerOf<T>>;

/// Spreads a block's key over all bits (the finaliser of splitmix64).
SHARDFFT_HD inline std::uint32_t seed_of(std::uint64_t key) {
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9ULL;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<std::uint32_t>(key >> 32);
}

/// Step and shifts of one block.
template <class T>
struct Steps {
  T step, inverse;
  bool dither;
  std::uint32_t seed;

  SHARDFFT_HD Steps(double parameter, bool dithers, std::uint64_t key)
      : step(static_cast<T>(parameter)),
        inverse(kernels::inverse(static_cast<T>(parameter))),
        dither(dithers),
        seed(dithers ? seed_of(key) : 0) {}

  /// In [-1/2, 1/2), of number i of the block.
  [[nodiscard]] SHARDFFT_HD T shift(int i) const {
    std::uint32_t z = static_cast<std::uint32_t>(i) * 0x9E3779B1U + seed;
    z = (z ^ (z >> 15)) * 0x846CA68BU;
    const auto with_sign = static_cast<std::int32_t>(z);
    if constexpr (sizeof(T) == 4)
      return mul(static_cast<T>(with_sign >> 8), static_cast<T>(0x1p-24));
    else
      return mul(static_cast<T>(with_sign), static_cast<T>(0x1p-32));
  }
  /// v / step, with its shift: what is rounded.
  [[nodiscard]] SHARDFFT_HD T in_steps(T v, int i) const {
    const T y = mul(v, inverse);
    return dither ? add(y, shift(i)) : y;
  }
  /// The number that decode makes of an integer.
  [[nodiscard]] SHARDFFT_HD T decoded(T integer, int i) const {
    return mul(dither ? sub(integer, shift(i)) : integer, step);
  }
};

/// The nearest integer as a number: right up to Magic::limit; else anything that is larger.
template <class T>
SHARDFFT_HD T rounded(T y) {
  const T magic = coding::Magic<T>::number;
  return sub(add(y, magic), magic);
}

/// The rounded number as an integer; correct up to Magic::limit.
template <class T>
SHARDFFT_HD BitsOf<T> rounded_bits(T y) {
  const T magic = coding::Magic<T>::number;
  return same_bits<BitsOf<T>>(add(y, magic)) - static_cast<BitsOf<T>>(coding::Magic<T>::bits);
}

/// An integer of `width` bits (1 to 7 bytes of f64, 3 of f32) in two's complement as a number.
template <class T>
SHARDFFT_HD T number_of(BitsOf<T> q, int width) {
  constexpr int bits = 8 * static_cast<int>(sizeof(T));
  const IntegerOf<T> integer = static_cast<IntegerOf<T>>(q << (bits - width)) >> (bits - width);
  // A conversion of f64 would differ from vectors beyond 2^51. Nobody encodes such numbers.
  if constexpr (sizeof(T) == 4)
    return static_cast<T>(integer);
  else
    return sub(same_bits<T>(static_cast<BitsOf<T>>(integer) + static_cast<BitsOf<T>>(coding::Magic<T>::bits)),
               coding::Magic<T>::number);
}

/// Bits that +-|q| <= largest needs in two's complement; 0 for 0.
SHARDFFT_HD inline int width_of(double largest) {
  return largest < 1 ? 0 : static_cast<int>(same_bits<std::uint64_t>(largest) >> 52) - 1021;
}

}  // namespace shardfft::kernels
