// A square of scalars, as many as a vector has lanes each way, transposed in registers.
#if defined(SHARDFFT_SUPPORT_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_SUPPORT_SIMD_TRANSPOSE_INL_H_
#undef SHARDFFT_SUPPORT_SIMD_TRANSPOSE_INL_H_
#else
#define SHARDFFT_SUPPORT_SIMD_TRANSPOSE_INL_H_
#endif

#include "support/processor/simd_complex-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// Inside the 128-bit blocks of two neighbouring rows.
template <class T>
HWY_INLINE void interleave_rows(Vector<T>& a, Vector<T>& b) {
  const Tag<T> d;
  const auto lower = hn::InterleaveLower(d, a, b);
  b = hn::InterleaveUpper(d, a, b);
  a = lower;
}

/// Inside each 128-bit block: rows[g + c], c < block_lanes, then hold column c of the block for the rows g ...
HWY_INLINE void transpose_in_blocks(Vector<double>* rows) { interleave_rows<double>(rows[0], rows[1]); }
HWY_INLINE void transpose_in_blocks(Vector<float>* rows) {
  const Tag<double> wide;
  const Tag<float> d;
  interleave_rows<float>(rows[0], rows[1]);  // a0 b0 a1 b1, a2 b2 a3 b3
  interleave_rows<float>(rows[2], rows[3]);
  Vector<double> x0 = hn::BitCast(wide, rows[0]), x1 = hn::BitCast(wide, rows[1]);
  Vector<double> y0 = hn::BitCast(wide, rows[2]), y1 = hn::BitCast(wide, rows[3]);
  interleave_rows<double>(x0, y0);
  interleave_rows<double>(x1, y1);
  rows[0] = hn::BitCast(d, x0);
  rows[1] = hn::BitCast(d, y0);
  rows[2] = hn::BitCast(d, x1);
  rows[3] = hn::BitCast(d, y1);
}

#if HWY_TARGET == HWY_AVX3
/// Blocks 0 and 2 of a, then of b; or 1 and 3. One instruction, for which the vocabulary has no word.
HWY_INLINE Vector<double> even_blocks(Vector<double> a, Vector<double> b) {
  return Vector<double>{_mm512_shuffle_f64x2(a.raw, b.raw, 0x88)};
}
HWY_INLINE Vector<double> odd_blocks(Vector<double> a, Vector<double> b) {
  return Vector<double>{_mm512_shuffle_f64x2(a.raw, b.raw, 0xdd)};
}
HWY_INLINE Vector<float> even_blocks(Vector<float> a, Vector<float> b) {
  return Vector<float>{_mm512_shuffle_f32x4(a.raw, b.raw, 0x88)};
}
HWY_INLINE Vector<float> odd_blocks(Vector<float> a, Vector<float> b) {
  return Vector<float>{_mm512_shuffle_f32x4(a.raw, b.raw, 0xdd)};
}
#endif

/// The square of blocks rows[0], rows[step], ...; as many as there are blocks in a vector.
template <class T>
HWY_INLINE void transpose_blocks(Vector<T>* rows) {
  constexpr int step = block_lanes<T>, blocks = lanes<T> / step;
  static_assert(blocks == 1 || blocks == 2 || blocks == 4);
  if constexpr (blocks == 2) {
    exchange_halves<T>(rows[0], rows[step]);
  } else if constexpr (blocks == 4) {
    const auto even_low = even_blocks(rows[0], rows[step]), even_high = even_blocks(rows[2 * step], rows[3 * step]);
    const auto odd_low = odd_blocks(rows[0], rows[step]), odd_high = odd_blocks(rows[2 * step], rows[3 * step]);
    rows[0] = even_blocks(even_low, even_high);
    rows[step] = even_blocks(odd_low, odd_high);
    rows[2 * step] = odd_blocks(even_low, even_high);
    rows[3 * step] = odd_blocks(odd_low, odd_high);
  }
}

/// rows[i] lane j becomes rows[j] lane i.
template <class T>
HWY_INLINE void transpose(Vector<T> (&rows)[lanes<T>]) {
  constexpr int step = block_lanes<T>;
  HWY_UNROLL(16)
  for (int g = 0; g < lanes<T>; g += step) transpose_in_blocks(rows + g);
  HWY_UNROLL(16)
  for (int c = 0; c < step; ++c) transpose_blocks<T>(rows + c);
}

#endif

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
