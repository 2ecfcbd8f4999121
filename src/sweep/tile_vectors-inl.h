// Vector moves between memory and a tile in the lanes format, one scalar type and one instruction set at a time.
#if defined(SHARDFFT_SWEEP_TILE_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_SWEEP_TILE_VECTORS_INL_H_
#undef SHARDFFT_SWEEP_TILE_VECTORS_INL_H_
#else
#define SHARDFFT_SWEEP_TILE_VECTORS_INL_H_
#endif

#include <cstdint>

#include "hwy/cache_control.h"
#include "sweep/tile_loops.hpp"
#include "sweep/tile_transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

inline constexpr Index cache_line = 64;
/// Rows that gather asks for ahead of their use, when they lie too far apart for the hardware to see the pattern.
inline constexpr Index rows_ahead = 12;

template <class T>
HWY_INLINE void deinterleave(Vector<T> a, Vector<T> b, Vector<T>& re, Vector<T>& im) {
  const Tag<T> d;
  re = hn::ConcatEven(d, b, a);
  im = hn::ConcatOdd(d, b, a);
}

#if HWY_TARGET == HWY_AVX3
/// Three-operand permutations are not in the vocabulary: spread each operand, then blend.
template <class T>
HWY_INLINE void interleave(Vector<T> re, Vector<T> im, Vector<T>& a, Vector<T>& b) {
  const Tag<T> d;
  const hn::RebindToSigned<Tag<T>> di;
  const auto low = hn::ShiftRight<1>(hn::Iota(di, 0));
  const auto high = hn::Add(low, hn::Set(di, lanes<T> / 2));
  const auto to_low = hn::IndicesFromVec(d, low), to_high = hn::IndicesFromVec(d, high);
  a = hn::OddEven(hn::TableLookupLanes(im, to_low), hn::TableLookupLanes(re, to_low));
  b = hn::OddEven(hn::TableLookupLanes(im, to_high), hn::TableLookupLanes(re, to_high));
}
#else
template <class T>
HWY_INLINE void interleave(Vector<T> re, Vector<T> im, Vector<T>& a, Vector<T>& b) {
  const Tag<T> d;
  a = hn::InterleaveLower(d, re, im);
  b = hn::InterleaveUpper(d, re, im);
  if constexpr (lanes<T> > block_lanes<T>) exchange_halves<T>(a, b);
}
#endif

template <class T>
HWY_INLINE const T* scalars_at(const Rectangle<const std::byte>& r, Index k, Index v) {
  return reinterpret_cast<const T*>(r.data + k * r.step_k + v * r.step_v);
}
template <class T>
HWY_INLINE T* scalars_at(const Rectangle<std::byte>& r, Index k, Index v) {
  return reinterpret_cast<T*>(r.data + k * r.step_k + v * r.step_v);
}

/// Stores a vector; past the cache when `streamed`, where `to` must be aligned then.
template <bool streamed, class T>
HWY_INLINE void put(Vector<T> x, T* to) {
  if constexpr (streamed)
    hn::Stream(x, Tag<T>(), to);
  else
    hn::StoreU(x, Tag<T>(), to);
}

template <bool scaled, class T>
HWY_INLINE Vector<T> times(Vector<T> x, Vector<T> scale) {
  if constexpr (scaled)
    return hn::Mul(x, scale);
  else
    return x;
}

// --- whole rows of pencils next to each other ---

template <class T>
void gather_pencil_rows(bool complex, T* tile, const Rectangle<const std::byte>& r) {
  const Tag<T> d;
  constexpr Index L = lanes<T>;
  for (Index k = 0; k < r.count_k; ++k) {
    const T* from = scalars_at<T>(r, k, 0);
    const T* ahead = scalars_at<T>(r, k + rows_ahead < r.count_k ? k + rows_ahead : k, 0);
    hwy::Prefetch(ahead);
    if (complex) {
      hwy::Prefetch(ahead + L);
      Vector<T> re, im;
      deinterleave<T>(hn::LoadU(d, from), hn::LoadU(d, from + L), re, im);
      hn::Store(re, d, tile + 2 * L * k);
      hn::Store(im, d, tile + 2 * L * k + L);
    } else {
      hn::Store(hn::LoadU(d, from), d, tile + L * k);
    }
  }
}

template <bool scaled, bool streamed, class T>
void scatter_pencil_rows(bool complex, const T* tile, const Rectangle<std::byte>& r, T scale) {
  const Tag<T> d;
  constexpr Index L = lanes<T>;
  const auto factor = hn::Set(d, scale);
  for (Index k = 0; k < r.count_k; ++k) {
    T* to = scalars_at<T>(r, k, 0);
    if (complex) {
      Vector<T> a, b;
      interleave<T>(times<scaled, T>(hn::Load(d, tile + 2 * L * k), factor), times<scaled, T>(hn::Load(d, tile + 2 * L * k + L), factor), a, b);
      put<streamed, T>(a, to);
      put<streamed, T>(b, to + L);
    } else {
      put<streamed, T>(times<scaled, T>(hn::Load(d, tile + L * k), factor), to);
    }
  }
}

// --- pencils contiguous in memory; `rows` counts scalars along them ---

/// Rows at .. at + lanes of the tile, of `count` pencils from `tile` on.
template <class T>
HWY_INLINE void gather_square(T* tile, const Rectangle<const std::byte>& r, Index at) {
  const Tag<T> d;
  constexpr int L = lanes<T>;
  const int count = static_cast<int>(r.count_v);
  Vector<T> rows[L];
  HWY_UNROLL(16)
  for (int v = 0; v < L; ++v) rows[v] = v < count ? hn::LoadU(d, scalars_at<T>(r, 0, v) + at) : hn::Zero(d);
  transpose<T>(rows);
  if (count == L) {
    HWY_UNROLL(16)
    for (int i = 0; i < L; ++i) hn::Store(rows[i], d, tile + (at + i) * L);
  } else {
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(count));
    HWY_UNROLL(16)
    for (int i = 0; i < L; ++i) hn::BlendedStore(rows[i], mask, d, tile + (at + i) * L);
  }
}

template <bool scaled, bool streamed, class T>
HWY_INLINE void scatter_square(const T* tile, const Rectangle<std::byte>& r, Index at, Vector<T> scale) {
  const Tag<T> d;
  constexpr int L = lanes<T>;
  const int count = static_cast<int>(r.count_v);
  Vector<T> rows[L];
  HWY_UNROLL(16)
  for (int i = 0; i < L; ++i) rows[i] = times<scaled, T>(hn::Load(d, tile + (at + i) * L), scale);
  transpose<T>(rows);
  HWY_UNROLL(16)
  for (int v = 0; v < L; ++v)
    if (v < count) put<streamed, T>(rows[v], scalars_at<T>(r, 0, v) + at);
}

/// Squares from row 0 on; the last one overlaps the one before it. `rows` >= lanes.
template <class T>
void gather_squares(T* tile, const Rectangle<const std::byte>& r, Index rows) {
  constexpr Index L = lanes<T>;
  Index at = 0;
  for (; at + L <= rows; at += L) gather_square(tile, r, at);
  if (at < rows) gather_square(tile, r, rows - L);
}

template <bool scaled, bool streamed, class T>
void scatter_squares(const T* tile, const Rectangle<std::byte>& r, Index rows, T scale) {
  constexpr Index L = lanes<T>;
  const auto factor = hn::Set(Tag<T>(), scale);
  Index at = 0;
  for (; at + L <= rows; at += L) scatter_square<scaled, streamed, T>(tile, r, at, factor);
  if (at < rows) scatter_square<scaled, false, T>(tile, r, rows - L, factor);
}

// --- which pattern is it ---

/// What a move looks like to the vector code.
struct Pattern {
  bool pencil_rows = false;  ///< all pencils of the tile, next to each other
  bool squares = false;      ///< elements of a pencil next to each other; the whole width, or pencils from lane 0 on
  Index rows = 0;            ///< scalars along a pencil

  template <class T, class Byte>
  static HWY_INLINE Pattern of(const TileFormat& f, Index v0, const Rectangle<Byte>& r, const T*) {
    if (f.order != TileFormat::Order::lanes || f.pencils != lanes<T>) return {};
    const Index parts = f.complex ? 2 : 1, element = parts * static_cast<Index>(sizeof(T));
    const bool whole = v0 == 0 && r.count_v == lanes<T>;
    Pattern p{.rows = r.count_k * parts};
    p.pencil_rows = whole && r.step_v == element;
    p.squares = !p.pencil_rows && v0 == 0 && r.step_k == element && p.rows >= lanes<T>;
    return p;
  }
};

/// Whole cache lines are written, and at aligned addresses only.
template <class T>
HWY_INLINE bool can_stream(const Pattern& p, bool complex, const Rectangle<std::byte>& r) {
  const Index written = static_cast<Index>(sizeof(T)) * lanes<T> * (p.pencil_rows && complex ? 2 : 1);
  const Index step = p.pencil_rows ? r.step_k : r.step_v;
  return written % cache_line == 0 && step % cache_line == 0 && reinterpret_cast<std::uintptr_t>(r.data) % cache_line == 0;
}

template <class T>
bool gather_vectors(const TileFormat& format, T* tile, Index k0, Index v0, const Rectangle<const std::byte>& r) {
  const Pattern pattern = Pattern::of(format, v0, r, tile);
  T* at = tile + k0 * lanes<T> * (format.complex ? 2 : 1);
  if (pattern.pencil_rows)
    gather_pencil_rows(format.complex, at, r);
  else if (pattern.squares)
    gather_squares(at, r, pattern.rows);
  else
    return false;
  return true;
}

template <bool scaled, bool streamed, class T>
void scatter_pattern(const Pattern& pattern, bool complex, const T* tile, const Rectangle<std::byte>& r, T scale) {
  if (pattern.pencil_rows)
    scatter_pencil_rows<scaled, streamed, T>(complex, tile, r, scale);
  else
    scatter_squares<scaled, streamed, T>(tile, r, pattern.rows, scale);
}

template <class T>
bool scatter_vectors(const TileFormat& format, const T* tile, Index k0, Index v0, const Rectangle<std::byte>& r, double scale, bool stream) {
  const Pattern pattern = Pattern::of(format, v0, r, tile);
  if (!pattern.pencil_rows && !pattern.squares) return false;
  const T* at = tile + k0 * lanes<T> * (format.complex ? 2 : 1);
  const T factor = static_cast<T>(scale);
  const bool streamed = stream && can_stream<T>(pattern, format.complex, r);
  if (scale == 1)
    streamed ? scatter_pattern<false, true>(pattern, format.complex, at, r, factor) : scatter_pattern<false, false>(pattern, format.complex, at, r, factor);
  else
    streamed ? scatter_pattern<true, true>(pattern, format.complex, at, r, factor) : scatter_pattern<true, false>(pattern, format.complex, at, r, factor);
  return true;
}

#else  // one lane: the plain loops do as well

template <class T>
bool gather_vectors(const TileFormat&, T*, Index, Index, const Rectangle<const std::byte>&) {
  return false;
}

template <class T>
bool scatter_vectors(const TileFormat&, const T*, Index, Index, const Rectangle<std::byte>&, double, bool) {
  return false;
}

#endif

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
