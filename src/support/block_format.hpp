// What both ends of an encoded block agree on, whoever computes it: a processor by vectors (codec/*-inl.h) or a device
// by warps (device/kernels/codec_*).
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/hd.hpp"
#include "support/scalar.hpp"

namespace shardfft {

/// The key of a block, as in Blocks: of its segment's first element, its number in the segment, and the run.
[[nodiscard]] constexpr SHARDFFT_HD std::uint64_t block_key(std::uint64_t seed, std::uint64_t first_element,
                                                            std::uint64_t block) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15ull * (first_element + 1) + 0xd1342543de82ef95ull * block;
  z = (z ^ (z >> 32)) * 0xbf58476d1ce4e5b9ull;
  return z ^ (z >> 29);
}

/// The index of codecs that spend 8 bytes of payload for each bit of a block's width: one byte per block, its width or
/// what else became of it.
namespace width_code {
inline constexpr std::uint8_t zeros = 0;          ///< all numbers are zero
inline constexpr std::uint8_t only_dither = 128;  ///< all integers are zero, but dither is to be taken back
/// The numbers as they are: as many bits as they have.
[[nodiscard]] constexpr std::uint8_t raw(Scalar scalar) { return scalar == Scalar::f32 ? 32 : 64; }
/// Bytes of payload.
[[nodiscard]] constexpr std::size_t bytes(std::uint8_t code) { return static_cast<std::size_t>(code & 127) * 8; }
}  // namespace width_code

namespace coding {

/// Rounding by adding and subtracting a number whose last bit is worth 1: integers up to `limit` then stand in the low
/// bits of the sum. Up to `easy`, (decoded - given) / step is integer - given / step as far as the sum of squares needs
/// it: the latter's two roundings are below 2^-24, a share of 2e-7 of the allowance that the step was made for.
template <class T>
struct Magic;
template <>
struct Magic<double> {
  static constexpr double number = 0x1.8p52, limit = 0x1p50 - 1, easy = 0x1p28;
  static constexpr std::int64_t bits = 0x4338000000000000;
  static constexpr int most_width = 51, most_bytes = 7;
};
template <>
struct Magic<float> {
  static constexpr float number = 0x1.8p23f, limit = 0x1p22f - 1, easy = 0;
  static constexpr std::int32_t bits = 0x4B400000;
  static constexpr int most_width = 23, most_bytes = 3;
};

/// Steps of block_float and scales of casts: they and their inverses are normal numbers.
inline constexpr double least_step_f32 = 0x1p-125, least_step_f64 = 0x1p-1021;
inline constexpr int most_scale_exponent_f32 = 126, most_scale_exponent_f64 = 1022;

}  // namespace coding
}  // namespace shardfft
