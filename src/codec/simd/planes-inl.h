// 64 integers of `width` bits each, in two's complement: width / 8 rows of bytes, the lowest first (row k holds byte k
// of all 64), then the width % 8 bits above them as one 64-bit word each. So 64 integers take 8 width bytes. Rows of
// bytes need no bit to be moved, words of bits one instruction each: any width costs little more than whole bytes.
#if defined(SHARDFFT_CODEC_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_CODEC_PLANES_INL_H_
#undef SHARDFFT_CODEC_PLANES_INL_H_
#else
#define SHARDFFT_CODEC_PLANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "support/scalar.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::coding::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Integers of a block.
inline constexpr int many = 64;

template <class T>
using Tag = hn::CappedTag<T, many>;
template <class T>
inline constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag<T>()));
template <class T>
inline constexpr Scalar scalar_of = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;
/// Bytes of an unencoded block.
template <class T>
inline constexpr std::size_t block_bytes = many * sizeof(T);
template <class T>
using SameSize = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Number of bytes that hold so many bits.
HWY_INLINE int bytes_of(int width) { return (width + 7) / 8; }

#if HWY_TARGET != HWY_SCALAR

using ByteTag = hn::CappedTag<std::uint8_t, many>;
using Bytes = hn::Vec<ByteTag>;
using Shorts = hn::Vec<hn::Repartition<std::uint16_t, ByteTag>>;
using Words = hn::Vec<hn::Repartition<std::uint32_t, ByteTag>>;
inline constexpr int byte_lanes = static_cast<int>(hn::MaxLanes(ByteTag()));

// rows[k]: byte k of the integers in `v`, k < count.
template <int count>
HWY_INLINE void rows_of(const Shorts (&v)[2], Bytes* rows) {
  const ByteTag d;
  const auto a = hn::BitCast(d, v[0]), b = hn::BitCast(d, v[1]);
  rows[0] = hn::ConcatEven(d, b, a);
  if constexpr (count > 1) rows[1] = hn::ConcatOdd(d, b, a);
}
template <int count>
HWY_INLINE void rows_of(const Words (&v)[4], Bytes* rows) {
  const hn::Repartition<std::uint16_t, ByteTag> d;
  Shorts low[2], high[2];
  HWY_UNROLL(2)
  for (int i = 0; i < 2; ++i) {
    const auto a = hn::BitCast(d, v[2 * i]), b = hn::BitCast(d, v[2 * i + 1]);
    low[i] = hn::ConcatEven(d, b, a);
    if constexpr (count > 2) high[i] = hn::ConcatOdd(d, b, a);
  }
  rows_of<(count > 2 ? 2 : count)>(low, rows);
  if constexpr (count > 2) rows_of<count - 2>(high, rows + 2);
}
template <int count>
HWY_INLINE void rows_of(const std::int32_t* q, Bytes* rows) {
  const hn::Repartition<std::int32_t, ByteTag> d;
  const hn::Repartition<std::uint32_t, ByteTag> du;
  Words v[4];
  HWY_UNROLL(4)
  for (int i = 0; i < 4; ++i) v[i] = hn::BitCast(du, hn::Load(d, q + i * (byte_lanes / 4)));
  rows_of<count>(v, rows);
}
template <int count>
HWY_INLINE void rows_of(const std::int64_t* q, Bytes* rows) {
  const hn::Repartition<std::int64_t, ByteTag> d;
  const hn::Repartition<std::uint32_t, ByteTag> du;
  Words low[4], high[4];
  HWY_UNROLL(4)
  for (int i = 0; i < 4; ++i) {
    const auto a = hn::BitCast(du, hn::Load(d, q + 2 * i * (byte_lanes / 8))),
               b = hn::BitCast(du, hn::Load(d, q + (2 * i + 1) * (byte_lanes / 8)));
    low[i] = hn::ConcatEven(du, b, a);
    if constexpr (count > 4) high[i] = hn::ConcatOdd(du, b, a);
  }
  rows_of<(count > 4 ? 4 : count)>(low, rows);
  if constexpr (count > 4) rows_of<count - 4>(high, rows + 4);
}

/// Writes all 8 words of bits, whatever the width: the next block overwrites those that are too many. `count`:
/// bytes_of(width). `to`: 64 count bytes.
template <int count, class Integer>
HWY_INLINE void pack(const Integer* q, int width, std::uint8_t* to) {
  const ByteTag d;
  std::uint8_t* const top = to + (count - 1) * many;
  HWY_UNROLL(1)
  for (int at = 0; at < many; at += byte_lanes) {
    Bytes rows[8];
    rows_of<count>(q + at, rows);
    HWY_UNROLL(8)
    for (int k = 0; k < count - 1; ++k) hn::StoreU(rows[k], d, to + k * many + at);
    if (width == 8 * count) {
      hn::StoreU(rows[count - 1], d, top + at);
    } else {
      HWY_UNROLL(8)
      for (int bit = 0; bit < 8; ++bit)
        hn::StoreMaskBits(d, hn::TestBit(rows[count - 1], hn::Set(d, static_cast<std::uint8_t>(1 << bit))),
                          top + 8 * bit + at / 8);
    }
  }
}

/// Bytes made from the lowest `bits` (1 to 7) of 8 words of bits; the highest is the sign.
HWY_INLINE void unpack_words(const std::uint8_t* words, int bits, std::uint8_t* to) {
  const ByteTag d;
  const auto sign = hn::Set(d, static_cast<std::uint8_t>(1 << (bits - 1))),
             all = hn::Set(d, static_cast<std::uint8_t>((1 << bits) - 1));
  HWY_UNROLL(1)
  for (int at = 0; at < many; at += byte_lanes) {
    auto v = hn::Zero(d);
    HWY_UNROLL(8)
    for (int bit = 0; bit < 8; ++bit)
      v = hn::Or(v, hn::IfThenElseZero(hn::LoadMaskBits(d, words + 8 * bit + at / 8),
                                       hn::Set(d, static_cast<std::uint8_t>(1 << bit))));
    hn::Store(hn::Sub(hn::Xor(hn::And(v, all), sign), sign), d, to + at);
  }
}

#else  // one lane: plain loops

template <int count, class Integer>
void pack(const Integer* q, int width, std::uint8_t* to) {
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < many; ++i) to[k * many + i] = static_cast<std::uint8_t>(q[i] >> (8 * k));
  if (width == 8 * count) return;
  std::uint8_t* const top = to + (count - 1) * many;
  std::uint64_t words[8] = {};
  for (int i = 0; i < many; ++i)
    for (int bit = 0; bit < 8; ++bit) words[bit] |= static_cast<std::uint64_t>(top[i] >> bit & 1) << i;
  std::memcpy(top, words, sizeof words);
}

inline void unpack_words(const std::uint8_t* words, int bits, std::uint8_t* to) {
  std::uint64_t word[8];
  std::memcpy(word, words, sizeof word);
  const int sign = 1 << (bits - 1), all = (1 << bits) - 1;
  for (int i = 0; i < many; ++i) {
    int v = 0;
    for (int bit = 0; bit < 8; ++bit) v |= static_cast<int>(word[bit] >> i & 1) << bit;
    to[i] = static_cast<std::uint8_t>(((v & all) ^ sign) - sign);
  }
}

#endif

/// What unpack reads beyond the 8 width bytes of a block at most.
inline constexpr std::size_t read_ahead = many + 8;

/// Rows of bytes of 64 packed integers; at most `most` bytes each.
template <int most>
struct PackedRows {
  const std::uint8_t* row[most];
  alignas(64) std::uint8_t top[many];

  /// Reads 64 bytes_of(width) + 8 bytes from `from` at most.
  HWY_INLINE PackedRows(const std::uint8_t* from, int width) {
    const int count = bytes_of(width);
    for (int k = 0; k < most; ++k) row[k] = from + (k < count ? k : 0) * many;
    if (width == 8 * count) return;
    unpack_words(from + (count - 1) * many, width - 8 * (count - 1), top);
    row[count - 1] = top;
  }
};

/// Integers i and those after it, of which `count` bytes are there from byte `first` on; the highest has the sign. D:
/// tag of int32_t.
template <int count, class D, int most>
HWY_INLINE hn::Vec<D> integers32(D d, const PackedRows<most>& rows, int first, int i) {
  const hn::Rebind<std::int8_t, D> ds;
  const hn::Rebind<std::uint8_t, D> du;
  auto v = hn::PromoteTo(d, hn::LoadU(ds, reinterpret_cast<const std::int8_t*>(rows.row[first + count - 1]) + i));
  HWY_UNROLL(4)
  for (int k = count - 2; k >= 0; --k)
    v = hn::Or(hn::ShiftLeft<8>(v), hn::PromoteTo(d, hn::LoadU(du, rows.row[first + k] + i)));
  return v;
}

/// Assembles int64_t from the rows, starting at byte 0.
template <int count, class D, int most>
HWY_INLINE hn::Vec<D> integers64(D d, const PackedRows<most>& rows, int i) {
  const hn::Rebind<std::int32_t, D> d32;
  if constexpr (count <= 4) {
    return hn::PromoteTo(d, integers32<count>(d32, rows, 0, i));
  } else {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToUnsigned<decltype(d32)> du32;
    const auto low = hn::PromoteTo(du, hn::BitCast(du32, integers32<4>(d32, rows, 0, i)));
    return hn::Or(hn::ShiftLeft<32>(hn::PromoteTo(d, integers32<count - 4>(d32, rows, 4, i))), hn::BitCast(d, low));
  }
}

/// body(count) with bytes_of(width) as a compile-time constant, 1 to `most`.
template <int most, class Body>
HWY_INLINE void with_bytes(int width, const Body& body) {
  switch (bytes_of(width)) {
    case 1:
      body(std::integral_constant<int, 1>());
      break;
    case 2:
      body(std::integral_constant<int, (most < 2 ? most : 2)>());
      break;
    case 3:
      body(std::integral_constant<int, (most < 3 ? most : 3)>());
      break;
    case 4:
      body(std::integral_constant<int, (most < 4 ? most : 4)>());
      break;
    case 5:
      body(std::integral_constant<int, (most < 5 ? most : 5)>());
      break;
    case 6:
      body(std::integral_constant<int, (most < 6 ? most : 6)>());
      break;
    case 7:
      body(std::integral_constant<int, (most < 7 ? most : 7)>());
      break;
    default:
      body(std::integral_constant<int, most>());
      break;
  }
}

}  // namespace shardfft::coding::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
