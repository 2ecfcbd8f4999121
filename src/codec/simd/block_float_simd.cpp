#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/simd/block_float_simd.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <cstring>

#include "codec/simd/block_float_simd.hpp"
#include "codec/simd/quantise-inl.h"
#include "codec/widths.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

/// The width code of a block.
template <bool dither, class T>
HWY_INLINE std::uint8_t code_of(const QuantisedBlock<T>& found) {
  if (!found.fits) return width_code::raw(scalar_of<T>);
  if (dither && found.zeros) return width_code::zeros;
  const int width = width_of(found.largest);
  if (width == 0) return dither ? width_code::only_dither : width_code::zeros;
  return static_cast<std::uint8_t>(width);
}

template <bool dither, class T>
Encoded encode_group(const Quantiser& quantiser, const Blocks<const std::byte>& blocks, std::byte* index,
                     std::byte* payload) {
  const hn::ScalableTag<double> d;
  const T step = static_cast<T>(quantiser.step);
  const auto* x = reinterpret_cast<const T*>(blocks.values);
  auto* to = reinterpret_cast<std::uint8_t*>(payload);
  auto lost = hn::Zero(d);
  alignas(64) SameSize<T> q[many];
  for (int b = 0; b < blocks.count; ++b, x += many) {
    const QuantisedBlock<T> found = quantise<dither, T>(x, step, dither ? seed_of(blocks.keys[b]) : 0, q);
    const std::uint8_t code = code_of<dither, T>(found);
    index[b] = static_cast<std::byte>(code);
    if (code == width_code::raw(scalar_of<T>)) {
      std::memcpy(to, x, block_bytes<T>);
    } else {
      if (!(dither && code == width_code::zeros)) add_to(lost, found.lost);
      if (width_code::bytes(code) > 0) {
        take_magic_off<T>(code, q);
        with_bytes<Magic<T>::most_bytes>(code, [&](auto count) HWY_ATTR { pack<decltype(count)::value>(q, code, to); });
      }
    }
    to += width_code::bytes(code);
  }
  return {.bytes = static_cast<std::size_t>(to - reinterpret_cast<std::uint8_t*>(payload)),
          .lost2 = hn::GetLane(hn::SumOfLanes(d, lost))};
}

/// One block from the `left` bytes at `from`, of which it may read all. False when code or length is wrong.
template <bool dither, class T>
HWY_INLINE bool decode_block(std::uint8_t code, const std::uint8_t* from, std::size_t left, T step, std::uint32_t seed,
                             T* x) {
  static constexpr std::uint8_t nothing[many + read_ahead] = {};
  const std::size_t bytes = width_code::bytes(code);
  if (bytes > left) return false;
  if (code == width_code::zeros) {
    std::memset(x, 0, block_bytes<T>);
  } else if (code == width_code::raw(scalar_of<T>)) {
    std::memcpy(x, from, block_bytes<T>);
  } else if (dither && code == width_code::only_dither) {
    restore<dither, T>(nothing, 8, step, seed, x);
  } else if (code > Magic<T>::most_width) {
    return false;
  } else if (left >= bytes + read_ahead) {
    restore<dither, T>(from, code, step, seed, x);
  } else {
    std::uint8_t copy[block_bytes<T> + read_ahead] = {};
    std::memcpy(copy, from, bytes);
    restore<dither, T>(copy, code, step, seed, x);
  }
  return true;
}

template <bool dither, class T>
bool decode_group(const Quantiser& quantiser, std::span<const std::byte> index, std::span<const std::byte> payload,
                  int first, const Blocks<std::byte>& blocks) {
  const T step = static_cast<T>(quantiser.step);
  std::size_t at = payload_offset(index, first, 1);
  auto* x = reinterpret_cast<T*>(blocks.values);
  for (int b = 0; b < blocks.count; ++b, x += many) {
    const auto code = std::to_integer<std::uint8_t>(index[static_cast<std::size_t>(first + b)]);
    if (at > payload.size()) return false;
    const auto* from = reinterpret_cast<const std::uint8_t*>(payload.data()) + at;
    if (!decode_block<dither, T>(code, from, payload.size() - at, step, dither ? seed_of(blocks.keys[b]) : 0, x))
      return false;
    at += width_code::bytes(code);
  }
  return true;
}

Encoded block_float_encode_here(const Quantiser& quantiser, const Blocks<const std::byte>& blocks, std::byte* index,
                                std::byte* payload) {
  const bool dither = quantiser.rounding == Rounding::dither;
  if (blocks.scalar == Scalar::f64)
    return dither ? encode_group<true, double>(quantiser, blocks, index, payload)
                  : encode_group<false, double>(quantiser, blocks, index, payload);
  return dither ? encode_group<true, float>(quantiser, blocks, index, payload)
                : encode_group<false, float>(quantiser, blocks, index, payload);
}

bool block_float_decode_here(const Quantiser& quantiser, std::span<const std::byte> index,
                             std::span<const std::byte> payload, int first, const Blocks<std::byte>& blocks) {
  const bool dither = quantiser.rounding == Rounding::dither;
  if (blocks.scalar == Scalar::f64)
    return dither ? decode_group<true, double>(quantiser, index, payload, first, blocks)
                  : decode_group<false, double>(quantiser, index, payload, first, blocks);
  return dither ? decode_group<true, float>(quantiser, index, payload, first, blocks)
                : decode_group<false, float>(quantiser, index, payload, first, blocks);
}

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace coding {
HWY_EXPORT(block_float_encode_here);
HWY_EXPORT(block_float_decode_here);
}  // namespace coding

Encoded block_float_encode(const Quantiser& quantiser, const Blocks<const std::byte>& blocks, std::byte* index,
                           std::byte* payload) {
  using namespace coding;
  return HWY_DYNAMIC_DISPATCH(block_float_encode_here)(quantiser, blocks, index, payload);
}

bool block_float_decode(const Quantiser& quantiser, std::span<const std::byte> index,
                        std::span<const std::byte> payload, int first, const Blocks<std::byte>& blocks) {
  using namespace coding;
  return HWY_DYNAMIC_DISPATCH(block_float_decode_here)(quantiser, index, payload, first, blocks);
}

}  // namespace shardfft
#endif
