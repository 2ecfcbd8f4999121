// What codecs of other people's libraries share: large blocks, each as many bytes as it became, its size in the index.
// A block may also be left out (zeros) or kept as it is.
#pragma once

#include <bit>
#include <cstring>
#include <span>

#include "codec/codec.hpp"

namespace shardfft::sized_blocks {

inline constexpr int values = 4096;
inline constexpr int index_bytes =
    4;  ///< bytes of payload, 32 bits, lowest byte first; 0: zeros; as many as the block has: kept as it is

[[nodiscard]] inline std::size_t raw_bytes(Scalar scalar) { return values * size_of(scalar); }
/// Blocks begin at multiples of 8.
[[nodiscard]] inline std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

inline void put_size(std::byte* index, std::size_t bytes) {
  for (int i = 0; i < index_bytes; ++i) index[i] = static_cast<std::byte>(bytes >> (8 * i));
}
[[nodiscard]] inline std::size_t get_size(const std::byte* index) {
  std::size_t bytes = 0;
  for (int i = 0; i < index_bytes; ++i) bytes |= std::to_integer<std::size_t>(index[i]) << (8 * i);
  return bytes;
}

/// Bytes of the payload of so many blocks as their index, which may be any bytes, says.
[[nodiscard]] inline std::size_t payload(const std::byte* index, int blocks) {
  std::size_t sum = 0;
  for (int b = 0; b < blocks; ++b) sum += padded(get_size(index + b * index_bytes));
  return sum;
}

/// Whether all bits are zero.
[[nodiscard]] inline bool all_zero(const std::byte* block, std::size_t bytes) {
  std::byte any{0};
  for (std::size_t i = 0; i < bytes; ++i) any |= block[i];
  return any == std::byte{0};
}

/// What compress makes of one block.
struct Shrunk {
  std::size_t bytes = 0;  ///< 0, or not less than raw_bytes: could not
  double lost2 = 0;
};

/// shrink(block, payload) -> Shrunk writes fewer than raw_bytes, or says that it could not.
template <class Shrink>
Encoded encode(const Blocks<const std::byte>& blocks, std::byte* index, std::byte* payload, Shrink shrink) {
  const std::size_t raw = raw_bytes(blocks.scalar);
  Encoded encoded;
  for (int b = 0; b < blocks.count; ++b, index += index_bytes) {
    const std::byte* block = blocks.values + static_cast<std::size_t>(b) * raw;
    std::byte* to = payload + encoded.bytes;
    if (all_zero(block, raw)) {
      put_size(index, 0);
      continue;
    }
    Shrunk shrunk = shrink(block, to);
    if (shrunk.bytes == 0 || padded(shrunk.bytes) >= raw) {
      std::memcpy(to, block, raw);
      shrunk = {.bytes = raw, .lost2 = 0};
    }
    std::memset(to + shrunk.bytes, 0, padded(shrunk.bytes) - shrunk.bytes);
    put_size(index, shrunk.bytes);
    encoded.bytes += padded(shrunk.bytes);
    encoded.lost2 += shrunk.lost2;
  }
  return encoded;
}

/// grow(bytes of one block, block) -> whether they made sense.
template <class Grow>
bool decode(std::span<const std::byte> index, std::span<const std::byte> payload, int first,
            const Blocks<std::byte>& blocks, Grow grow) {
  const std::size_t raw = raw_bytes(blocks.scalar),
                    end = static_cast<std::size_t>(first) + static_cast<std::size_t>(blocks.count);
  if (index.size() < end * index_bytes) return false;
  std::size_t at = 0;
  for (std::size_t b = 0; b < end; ++b) {
    const std::size_t bytes = get_size(index.data() + b * index_bytes);
    if (bytes > raw || at + padded(bytes) > payload.size()) return false;
    if (b >= static_cast<std::size_t>(first)) {
      std::byte* block = blocks.values + (b - static_cast<std::size_t>(first)) * raw;
      if (bytes == 0)
        std::memset(block, 0, raw);
      else if (bytes == raw)
        std::memcpy(block, payload.data() + at, raw);
      else if (!grow(payload.subspan(at, bytes), block))
        return false;
    }
    at += padded(bytes);
  }
  return true;
}

}  // namespace shardfft::sized_blocks
