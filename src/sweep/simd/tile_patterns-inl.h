// Which of the vector moves serves a rectangle, one scalar type and one instruction set at a time.
#if defined(SHARDFFT_SWEEP_TILE_PATTERNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_SWEEP_TILE_PATTERNS_INL_H_
#undef SHARDFFT_SWEEP_TILE_PATTERNS_INL_H_
#else
#define SHARDFFT_SWEEP_TILE_PATTERNS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "sweep/simd/tile_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

inline constexpr Index cache_line = 64;

enum class Pattern {
  none,
  pencil_rows,    ///< all pencils of the tile, next to each other
  some_pencils,   ///< some of them
  mirrored_rows,  ///< all of them, next to each other downwards, conjugated
  squares,        ///< elements of a pencil next to each other
  short_pencils,  ///< likewise, fewer than a vector holds
};

template <class T, class Byte>
HWY_INLINE Pattern pattern_of(const TileFormat& f, const Rectangle<Byte>& r) {
  if (f.order != TileFormat::Order::lanes || f.pencils != lanes<T>) return Pattern::none;
  const Index parts = f.complex ? 2 : 1, element = parts * static_cast<Index>(sizeof(T));
  if (r.conjugated)
    return f.complex && r.step_v == -element && r.count_v == lanes<T> ? Pattern::mirrored_rows : Pattern::none;
  const bool next_to_each_other = r.step_v == element;
  if (next_to_each_other && r.count_v == lanes<T>) return Pattern::pencil_rows;
  if (r.step_k == element && r.count_k * parts >= lanes<T>) return Pattern::squares;
  if (!masks_protect) return Pattern::none;
  if (next_to_each_other) return Pattern::some_pencils;
  return r.step_k == element ? Pattern::short_pencils : Pattern::none;
}

/// Whole cache lines are written, and at aligned addresses only.
template <class T>
HWY_INLINE bool can_bypass_cache(Pattern pattern, bool complex, const Rectangle<std::byte>& r) {
  const bool rows = pattern == Pattern::pencil_rows;
  const Index written = static_cast<Index>(sizeof(T)) * lanes<T> * (rows && complex ? 2 : 1);
  const Index step = rows ? r.step_k : r.step_v;
  return (rows || pattern == Pattern::squares) && written % cache_line == 0 && step % cache_line == 0 &&
         reinterpret_cast<std::uintptr_t>(r.data) % cache_line == 0;
}

template <class T>
bool gather_vectors(const TileFormat& format, T* tile, Index k0, Index v0, const Rectangle<const std::byte>& r) {
  const TileRows<T> rows(format, tile, k0);
  switch (pattern_of<T>(format, r)) {
    case Pattern::none:
      return false;
    case Pattern::pencil_rows:
      gather_pencil_rows(rows, r);
      break;
    case Pattern::some_pencils:
      gather_some_pencils(rows, v0, r);
      break;
    case Pattern::mirrored_rows:
      gather_mirrored_rows(rows, r);
      break;
    case Pattern::squares:
      r.count_v == lanes<T> ? gather_squares<true>(rows, 0, r) : gather_squares<false>(rows, v0, r);
      break;
    case Pattern::short_pencils:
      r.count_v == lanes<T> ? gather_short<true>(rows, 0, r) : gather_short<false>(rows, v0, r);
      break;
  }
  return true;
}

template <bool scaled, bool non_temporal, class T, class FromRows>
bool scatter_pattern(Pattern pattern, const FromRows& rows, Index v0, const Rectangle<std::byte>& r, T scale) {
  switch (pattern) {
    case Pattern::none:
      return false;
    case Pattern::pencil_rows:
      scatter_pencil_rows<scaled, non_temporal, T>(rows, r, scale);
      break;
    case Pattern::some_pencils:
      scatter_some_pencils<scaled, T>(rows, v0, r, scale);
      break;
    case Pattern::mirrored_rows:
      scatter_mirrored_rows<scaled, T>(rows, r, scale);
      break;
    case Pattern::squares:
      r.count_v == lanes<T> ? scatter_squares<true, scaled, non_temporal, T>(rows, 0, r, scale)
                            : scatter_squares<false, scaled, non_temporal, T>(rows, v0, r, scale);
      break;
    case Pattern::short_pencils:
      r.count_v == lanes<T> ? scatter_short<true, scaled, T>(rows, 0, r, scale)
                            : scatter_short<false, scaled, T>(rows, v0, r, scale);
      break;
  }
  return true;
}

template <class T, class FromRows>
bool scatter_from(const FromRows& rows, const TileFormat& format, Index v0, const Rectangle<std::byte>& r, double scale,
                  bool non_temporal) {
  const Pattern pattern = pattern_of<T>(format, r);
  const T factor = static_cast<T>(scale);
  const bool past = non_temporal && can_bypass_cache<T>(pattern, format.complex, r);
  const auto move = [&](auto scaled, auto past_cache) {
    return scatter_pattern<decltype(scaled)::value, decltype(past_cache)::value, T>(pattern, rows, v0, r, factor);
  };
  constexpr std::bool_constant<true> yes;
  constexpr std::bool_constant<false> no;
  if (scale == 1) return past ? move(no, yes) : move(no, no);
  return past ? move(yes, yes) : move(yes, no);
}

template <class T>
bool scatter_vectors(const TileFormat& format, const T* tile, Index k0, Index v0, const Rectangle<std::byte>& r,
                     double scale, bool non_temporal) {
  if (format.places == nullptr)
    return scatter_from<T>(RowsInOrder<T>(format, tile, k0), format, v0, r, scale, non_temporal);
  return scatter_from<T>(TileRows<const T>(format, tile, k0), format, v0, r, scale, non_temporal);
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
