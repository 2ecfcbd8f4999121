#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/mantissa_simd.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <cstring>

#include "codec/rounding.hpp"
#include "codec/simd/mantissa-inl.h"
#include "codec/simd/mantissa_simd.hpp"
#include "codec/widths.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

/// What the index says of a block.
struct IndexEntry {
  std::uint8_t code = 0;
  int exponent = 0;
};

HWY_INLINE void put(IndexEntry entry, std::byte* index) {
  index[0] = static_cast<std::byte>(entry.code);
  index[1] = static_cast<std::byte>(entry.exponent);
  index[2] = static_cast<std::byte>(entry.exponent >> 8);
}
HWY_INLINE IndexEntry get(const std::byte* index) {
  return {.code = std::to_integer<std::uint8_t>(index[0]),
          .exponent = std::to_integer<int>(index[1]) | std::to_integer<int>(index[2]) << 8};
}

template <class T>
HWY_INLINE IndexEntry entry_of(const Rounded<T>& found, int bits) {
  const IndexEntry raw{.code = width_code::raw(scalar_of<T>), .exponent = 0};
  if (found.largest == 0) return {};
  if (found.largest >> bits >= static_cast<Unsigned<T>>(most_exponent<T>))
    return raw;  // Inf, NaN, or rounded up to Inf
  const Unsigned<T> exponent = found.smallest >> bits;
  const int width = 1 + std::bit_width(found.largest - (exponent << bits) + 1);
  return width >= raw.code
             ? raw
             : IndexEntry{.code = static_cast<std::uint8_t>(width), .exponent = static_cast<int>(exponent)};
}

template <class T>
Encoded encode_group(int bits, const Blocks<const std::byte>& blocks, std::byte* index, std::byte* payload) {
  const auto* x = reinterpret_cast<const T*>(blocks.values);
  auto* to = reinterpret_cast<std::uint8_t*>(payload);
  const double inverse_unit = 1 / safe_unit(blocks.unit);
  double lost = 0;
  alignas(64) SameSize<T> q[many];
  for (int b = 0; b < blocks.count; ++b, x += many, index += mantissa_index_bytes) {
    const Rounded<T> found = round_off<T>(x, bits, inverse_unit, q);
    const IndexEntry entry = entry_of(found, bits);
    put(entry, index);
    if (entry.code == width_code::raw(scalar_of<T>)) {
      std::memcpy(to, x, block_bytes<T>);
    } else {
      lost += found.lost;
      if (entry.code != width_code::zeros) {
        count_from<T>(static_cast<Unsigned<T>>(entry.exponent) << bits, q);
        with_bytes<sizeof(T)>(entry.code,
                              [&](auto count) HWY_ATTR { pack<decltype(count)::value>(q, entry.code, to); });
      }
    }
    to += width_code::bytes(entry.code);
  }
  return {.bytes = static_cast<std::size_t>(to - reinterpret_cast<std::uint8_t*>(payload)), .lost2 = lost};
}

/// One block from the `left` bytes at `from`, of which it may read all. False when entry or length is wrong.
template <class T>
HWY_INLINE bool decode_block(IndexEntry entry, int bits, const std::uint8_t* from, std::size_t left, T* x) {
  const std::size_t bytes = width_code::bytes(entry.code);
  if (bytes > left || entry.exponent >= most_exponent<T>) return false;
  const Unsigned<T> base = static_cast<Unsigned<T>>(entry.exponent) << bits;
  if (entry.code == width_code::zeros) {
    std::memset(x, 0, block_bytes<T>);
  } else if (entry.code == width_code::raw(scalar_of<T>)) {
    std::memcpy(x, from, block_bytes<T>);
  } else if (entry.code > width_code::raw(scalar_of<T>)) {
    return false;
  } else if (left >= bytes + read_ahead) {
    restore<T>(from, entry.code, bits, base, x);
  } else {
    std::uint8_t copy[block_bytes<T> + read_ahead] = {};
    std::memcpy(copy, from, bytes);
    restore<T>(copy, entry.code, bits, base, x);
  }
  return true;
}

template <class T>
bool decode_group(int bits, std::span<const std::byte> index, std::span<const std::byte> payload, int first,
                  const Blocks<std::byte>& blocks) {
  std::size_t at = payload_offset(index, first, mantissa_index_bytes);
  auto* x = reinterpret_cast<T*>(blocks.values);
  for (int b = 0; b < blocks.count; ++b, x += many) {
    const IndexEntry entry = get(index.data() + static_cast<std::size_t>(first + b) * mantissa_index_bytes);
    if (at > payload.size()) return false;
    if (!decode_block<T>(entry, bits, reinterpret_cast<const std::uint8_t*>(payload.data()) + at, payload.size() - at,
                         x))
      return false;
    at += width_code::bytes(entry.code);
  }
  return true;
}

Encoded mantissa_encode_here(int bits, const Blocks<const std::byte>& blocks, std::byte* index, std::byte* payload) {
  return blocks.scalar == Scalar::f64 ? encode_group<double>(bits, blocks, index, payload)
                                      : encode_group<float>(bits, blocks, index, payload);
}

bool mantissa_decode_here(int bits, std::span<const std::byte> index, std::span<const std::byte> payload, int first,
                          const Blocks<std::byte>& blocks) {
  return blocks.scalar == Scalar::f64 ? decode_group<double>(bits, index, payload, first, blocks)
                                      : decode_group<float>(bits, index, payload, first, blocks);
}

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace coding {
HWY_EXPORT(mantissa_encode_here);
HWY_EXPORT(mantissa_decode_here);
}  // namespace coding

Encoded mantissa_encode(int bits, const Blocks<const std::byte>& blocks, std::byte* index, std::byte* payload) {
  using namespace coding;
  return HWY_DYNAMIC_DISPATCH(mantissa_encode_here)(bits, blocks, index, payload);
}

bool mantissa_decode(int bits, std::span<const std::byte> index, std::span<const std::byte> payload, int first,
                     const Blocks<std::byte>& blocks) {
  using namespace coding;
  return HWY_DYNAMIC_DISPATCH(mantissa_decode_here)(bits, index, payload, first, blocks);
}

}  // namespace shardfft
#endif
