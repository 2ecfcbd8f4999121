// The index of codecs that spend 8 bytes of payload for each bit of a block's width: one byte per block, its width or what else became of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/scalar.hpp"

namespace shardfft {

namespace width_code {
inline constexpr std::uint8_t zeros = 0;           ///< all numbers are zero
inline constexpr std::uint8_t only_dither = 128;  ///< all integers are zero, but dither is to be taken back
/// The numbers as they are: as many bits as they have.
[[nodiscard]] constexpr std::uint8_t raw(Scalar scalar) { return scalar == Scalar::f32 ? 32 : 64; }
/// Bytes of payload.
[[nodiscard]] constexpr std::size_t bytes(std::uint8_t code) { return static_cast<std::size_t>(code & 127) * 8; }
/// Bytes of the payload of so many blocks; `stride`: bytes of the index per block, the width first.
[[nodiscard]] inline std::size_t payload(const std::byte* index, int blocks, int stride) {
  std::size_t sum = 0;
  for (int i = 0; i < blocks; ++i) sum += std::to_integer<std::size_t>(index[i * stride]) & 127;
  return 8 * sum;
}
}  // namespace width_code

/// Where block `first` begins in the payload; `stride`: bytes of the index per block, the width first. The index has at least `first` entries.
[[nodiscard]] inline std::size_t payload_offset(std::span<const std::byte> index, int first, int stride) {
  return width_code::payload(index.data(), first, stride);
}

}  // namespace shardfft
