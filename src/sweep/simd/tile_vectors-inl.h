// Vector moves between memory and a tile in the lanes format, one scalar type and one instruction set at a time.
#if defined(SHARDFFT_SWEEP_TILE_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_SWEEP_TILE_VECTORS_INL_H_
#undef SHARDFFT_SWEEP_TILE_VECTORS_INL_H_
#else
#define SHARDFFT_SWEEP_TILE_VECTORS_INL_H_
#endif

#include "support/processor/processor_profile.hpp"
#include "support/processor/simd_transpose-inl.h"
#include "sweep/host/tile_loops.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

template <class T>
HWY_INLINE const T* scalars_at(const Rectangle<const std::byte>& r, Index k, Index v) {
  return reinterpret_cast<const T*>(r.data + k * r.step_k + v * r.step_v);
}
template <class T>
HWY_INLINE T* scalars_at(const Rectangle<std::byte>& r, Index k, Index v) {
  return reinterpret_cast<T*>(r.data + k * r.step_k + v * r.step_v);
}

template <bool scaled, class T>
HWY_INLINE Vector<T> times(Vector<T> x, Vector<T> scale) {
  if constexpr (scaled)
    return hn::Mul(x, scale);
  else
    return x;
}

/// Masked loads and stores leave alone, and do not even read, what the mask excludes.
inline constexpr bool masks_protect = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

/// Lanes low <= i < high; bounds outside the vector are allowed.
template <class T>
HWY_INLINE hn::Mask<Tag<T>> lanes_from_to(Index low, Index high) {
  const Tag<T> d;
  const auto first = [&](Index n) HWY_ATTR {
    return hn::FirstN(d, static_cast<std::size_t>(n < 0 ? 0 : n > lanes<T> ? lanes<T> : n));
  };
  return hn::AndNot(first(low), first(high));
}

/// Rows of all pencils in a tile, from element k0 on.
template <class T>
struct TileRows {
  T* tile;
  const Index* places;
  Index k0;
  int parts;

  HWY_INLINE TileRows(const TileFormat& format, T* t, Index first)
      : tile(t),
        places(format.places == nullptr ? nullptr : format.places + first),
        k0(first),
        parts(format.complex ? 2 : 1) {}
  /// Element k0 + k: a row of reals, or of real parts followed by one of imaginary parts.
  HWY_INLINE T* element(Index k) const {
    return tile + (places == nullptr ? k0 + k : places[k]) * parts * lanes<std::remove_const_t<T>>;
  }
  /// Scalar i along the pencil.
  HWY_INLINE T* scalar(Index i) const {
    return parts == 1 ? element(i) : element(i / 2) + i % 2 * lanes<std::remove_const_t<T>>;
  }
};

/// Rows in natural order, the usual order for scatter.
template <class T>
struct RowsInOrder {
  const T* first;
  int parts;

  HWY_INLINE RowsInOrder(const TileFormat& format, const T* tile, Index k0)
      : first(tile + k0 * lanes<T> * (format.complex ? 2 : 1)), parts(format.complex ? 2 : 1) {}
  HWY_INLINE const T* element(Index k) const { return first + k * parts * lanes<T>; }
  HWY_INLINE const T* scalar(Index i) const { return first + i * lanes<T>; }
};

// --- pencils next to each other in memory: all of the tile ---

template <class T>
void gather_pencil_rows(const TileRows<T> rows, const Rectangle<const std::byte> r) {
  const Tag<T> d;
  constexpr Index L = lanes<T>;
  const bool complex = rows.parts == 2;
  for (Index k = 0; k < r.count_k; ++k) {
    const T* from = scalars_at<T>(r, k, 0);
    const T* next_end = from + (complex ? 4 : 2) * L -
                        1;  // of the next tile, behind this one in every row; the rows lie too far apart for the
                            // hardware to see a pattern. Ends: its beginning may be in a line that this tile has
    want_soon(next_end);
    if (complex) {
      want_soon(next_end - L);
      Vector<T> re, im;
      deinterleave<T>(hn::LoadU(d, from), hn::LoadU(d, from + L), re, im);
      hn::Store(re, d, rows.element(k));
      hn::Store(im, d, rows.element(k) + L);
    } else {
      hn::Store(hn::LoadU(d, from), d, rows.element(k));
    }
  }
}

template <bool scaled, bool non_temporal, class T, class FromRows>
void scatter_pencil_rows(const FromRows rows, const Rectangle<std::byte> r, T scale) {
  const Tag<T> d;
  constexpr Index L = lanes<T>;
  const bool complex = rows.parts == 2;
  const auto factor = hn::Set(d, scale);
  for (Index k = 0; k < r.count_k; ++k) {
    T* to = scalars_at<T>(r, k, 0);
    if (complex) {
      Vector<T> a, b;
      interleave<T>(times<scaled, T>(hn::Load(d, rows.element(k)), factor),
                    times<scaled, T>(hn::Load(d, rows.element(k) + L), factor), a, b);
      put<non_temporal, T>(a, to);
      put<non_temporal, T>(b, to + L);
    } else {
      put<non_temporal, T>(times<scaled, T>(hn::Load(d, rows.element(k)), factor), to);
    }
  }
}

// --- pencils next to each other in memory: some of the tile, v0 and those after it. Needs masks_protect. ---

template <class T>
void gather_some_pencils(const TileRows<T>& rows, Index v0, const Rectangle<const std::byte>& r) {
  const Tag<T> d;
  constexpr Index L = lanes<T>;
  const bool complex = rows.parts == 2;
  const Index end = v0 + r.count_v;
  const auto mask = lanes_from_to<T>(v0, end), low = lanes_from_to<T>(2 * v0, 2 * end),
             high = lanes_from_to<T>(2 * v0 - L, 2 * end - L);
  for (Index k = 0; k < r.count_k; ++k) {
    const T* from = scalars_at<T>(r, k, 0) - (complex ? 2 : 1) * v0;
    want_soon(from + (complex ? 2 : 1) * (end + L) - 1);  // as above, of the tile that follows these pencils
    if (complex) {
      want_soon(from + 2 * end + L - 1);
      Vector<T> re, im;
      deinterleave<T>(hn::MaskedLoad(low, d, from), hn::MaskedLoad(high, d, from + L), re, im);
      hn::BlendedStore(re, mask, d, rows.element(k));
      hn::BlendedStore(im, mask, d, rows.element(k) + L);
    } else {
      hn::BlendedStore(hn::MaskedLoad(mask, d, from), mask, d, rows.element(k));
    }
  }
}

template <bool scaled, class T, class FromRows>
void scatter_some_pencils(const FromRows& rows, Index v0, const Rectangle<std::byte>& r, T scale) {
  const Tag<T> d;
  constexpr Index L = lanes<T>;
  const bool complex = rows.parts == 2;
  const auto factor = hn::Set(d, scale);
  const Index end = v0 + r.count_v;
  const auto mask = lanes_from_to<T>(v0, end), low = lanes_from_to<T>(2 * v0, 2 * end),
             high = lanes_from_to<T>(2 * v0 - L, 2 * end - L);
  for (Index k = 0; k < r.count_k; ++k) {
    T* to = scalars_at<T>(r, k, 0) - (complex ? 2 : 1) * v0;
    if (complex) {
      Vector<T> a, b;
      interleave<T>(times<scaled, T>(hn::Load(d, rows.element(k)), factor),
                    times<scaled, T>(hn::Load(d, rows.element(k) + L), factor), a, b);
      hn::BlendedStore(a, low, d, to);
      hn::BlendedStore(b, high, d, to + L);
    } else {
      hn::BlendedStore(times<scaled, T>(hn::Load(d, rows.element(k)), factor), mask, d, to);
    }
  }
}

// --- all pencils of the tile, next to each other in memory downwards, conjugated; complex ---

template <class T>
void gather_mirrored_rows(const TileRows<T> rows, const Rectangle<const std::byte> r) {
  const Tag<T> d;
  constexpr Index L = lanes<T>;
  for (Index k = 0; k < r.count_k; ++k) {
    const T* from = scalars_at<T>(r, k, L - 1);
    want_soon(from - 2 * L);
    want_soon(from - L);
    Vector<T> re, im;
    deinterleave<T>(hn::LoadU(d, from), hn::LoadU(d, from + L), re, im);
    hn::Store(hn::Reverse(d, re), d, rows.element(k));
    hn::Store(hn::Neg(hn::Reverse(d, im)), d, rows.element(k) + L);
  }
}

template <bool scaled, class T, class FromRows>
void scatter_mirrored_rows(const FromRows rows, const Rectangle<std::byte> r, T scale) {
  const Tag<T> d;
  constexpr Index L = lanes<T>;
  const auto factor = hn::Set(d, scale);
  for (Index k = 0; k < r.count_k; ++k) {
    T* to = scalars_at<T>(r, k, L - 1);
    const auto re = times<scaled, T>(hn::Load(d, rows.element(k)), factor),
               im = times<scaled, T>(hn::Neg(hn::Load(d, rows.element(k) + L)), factor);
    Vector<T> a, b;
    interleave<T>(hn::Reverse(d, re), hn::Reverse(d, im), a, b);
    hn::StoreU(a, d, to);
    hn::StoreU(b, d, to + L);
  }
}

// --- pencils contiguous in memory: v0 and those after it; `rows` counts scalars along them ---

/// Rows at .. at + lanes of the tile. `whole`: of all its pencils. `prefetches`: asks for those of the next tile, the
/// pencils behind these.
template <bool whole, class T>
HWY_INLINE void gather_square(const TileRows<T> to, Index v0, const Rectangle<const std::byte> r, Index at,
                              bool prefetches) {
  const Tag<T> d;
  constexpr int L = lanes<T>;
  const Index end = v0 + r.count_v;
  Vector<T> rows[L];
  HWY_UNROLL(16)
  for (int v = 0; v < L; ++v)
    rows[v] = whole || (v0 <= v && v < end) ? hn::LoadU(d, scalars_at<T>(r, 0, v - v0) + at) : hn::Zero(d);
  if (whole && prefetches) {
    HWY_UNROLL(16)
    for (int v = 0; v < L; ++v) want_soon(scalars_at<T>(r, 0, v + L) + at);
  }
  transpose<T>(rows);
  if (whole) {
    HWY_UNROLL(16)
    for (int i = 0; i < L; ++i) hn::Store(rows[i], d, to.scalar(at + i));
  } else {
    const auto mask = lanes_from_to<T>(v0, end);
    HWY_UNROLL(16)
    for (int i = 0; i < L; ++i) hn::BlendedStore(rows[i], mask, d, to.scalar(at + i));
  }
}

template <bool whole, bool scaled, bool non_temporal, class T, class FromRows>
HWY_INLINE void scatter_square(const FromRows from, Index v0, const Rectangle<std::byte> r, Index at, Vector<T> scale) {
  const Tag<T> d;
  constexpr int L = lanes<T>;
  const Index end = v0 + r.count_v;
  Vector<T> rows[L];
  HWY_UNROLL(16)
  for (int i = 0; i < L; ++i) rows[i] = times<scaled, T>(hn::Load(d, from.scalar(at + i)), scale);
  transpose<T>(rows);
  HWY_UNROLL(16)
  for (int v = 0; v < L; ++v)
    if (whole || (v0 <= v && v < end)) put<non_temporal, T>(rows[v], scalars_at<T>(r, 0, v - v0) + at);
}

/// Squares from row 0 on; the last one overlaps the one before it. At least `lanes` scalars along the pencils.
template <bool whole, class T>
void gather_squares(const TileRows<T> to, Index v0, const Rectangle<const std::byte> r) {
  constexpr Index L = lanes<T>;
  const Index scalars = r.count_k * to.parts;
  const bool prefetches = processor_profile().gather_prefetches_next;
  Index at = 0;
  for (; at + L <= scalars; at += L) gather_square<whole>(to, v0, r, at, prefetches);
  if (at < scalars) gather_square<whole>(to, v0, r, scalars - L, false);
}

template <bool whole, bool scaled, bool non_temporal, class T, class FromRows>
void scatter_squares(const FromRows from, Index v0, const Rectangle<std::byte> r, T scale) {
  constexpr Index L = lanes<T>;
  const Index rows = r.count_k * from.parts;
  const auto factor = hn::Set(Tag<T>(), scale);
  Index at = 0;
  for (; at + L <= rows; at += L) scatter_square<whole, scaled, non_temporal, T>(from, v0, r, at, factor);
  if (at < rows) scatter_square<whole, scaled, false, T>(from, v0, r, rows - L, factor);
}

// --- pencils contiguous in memory and shorter than a vector: one square with loads and stores of so many scalars.
// Needs masks_protect. ---

template <bool whole, class T>
void gather_short(const TileRows<T> to, Index v0, const Rectangle<const std::byte> r) {
  const Tag<T> d;
  constexpr int L = lanes<T>;
  const Index scalars = r.count_k * to.parts, end = v0 + r.count_v;
  const auto here = lanes_from_to<T>(0, scalars);
  Vector<T> rows[L];
  HWY_UNROLL(16)
  for (int v = 0; v < L; ++v)
    rows[v] = whole || (v0 <= v && v < end) ? hn::MaskedLoad(here, d, scalars_at<T>(r, 0, v - v0)) : hn::Zero(d);
  transpose<T>(rows);
  const auto mask = lanes_from_to<T>(v0, end);
  HWY_UNROLL(16)
  for (int i = 0; i < L; ++i) {
    if (i >= scalars) break;
    if (whole)
      hn::Store(rows[i], d, to.scalar(i));
    else
      hn::BlendedStore(rows[i], mask, d, to.scalar(i));
  }
}

template <bool whole, bool scaled, class T, class FromRows>
void scatter_short(const FromRows from, Index v0, const Rectangle<std::byte> r, T scale) {
  const Tag<T> d;
  constexpr int L = lanes<T>;
  const Index scalars = r.count_k * from.parts, end = v0 + r.count_v;
  const auto here = lanes_from_to<T>(0, scalars);
  const auto factor = hn::Set(d, scale);
  Vector<T> rows[L];
  HWY_UNROLL(16)
  for (int i = 0; i < L; ++i)
    rows[i] = i < scalars ? times<scaled, T>(hn::Load(d, from.scalar(i)), factor) : hn::Zero(d);
  transpose<T>(rows);
  HWY_UNROLL(16)
  for (int v = 0; v < L; ++v)
    if (whole || (v0 <= v && v < end)) hn::BlendedStore(rows[v], here, d, scalars_at<T>(r, 0, v - v0));
}

#endif

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
