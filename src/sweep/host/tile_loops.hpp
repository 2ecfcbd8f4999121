// Moves between a rectangle and a tile element by element: right for every pattern, and the oracle of the fast ones.
#pragma once

#include <cstdint>

#include "sweep/host/tile_moves.hpp"

namespace shardfft {

/// Edge of the squares in which tiles are moved.
inline constexpr Index block_edge = 16;

/// Steps of a tile in scalars: element (k, v) is at k * this->k + v * this->v, its imaginary part `imaginary` further.
struct TileSteps {
  Index k = 0, v = 0, imaginary = 0;

  explicit TileSteps(const TileFormat& f) {
    const Index parts = f.complex ? 2 : 1;
    if (f.order == TileFormat::Order::lanes) {
      k = parts * f.pencils, v = 1, imaginary = f.pencils;
    } else {
      k = parts, v = f.ld, imaginary = 1;
    }
  }
};

/// `tile`: of pencil 0 of the block; `k0`: its first element.
template <class T, bool complex>
void gather_block(const TileFormat& format, const TileSteps& steps, T* tile, Index k0,
                  const Rectangle<const std::byte>& source) {
  for (Index v = 0; v < source.count_v; ++v)
    for (Index k = 0; k < source.count_k; ++k) {
      const T* from = reinterpret_cast<const T*>(source.data + k * source.step_k + v * source.step_v);
      T* to = tile + format.place(k0 + k) * steps.k + v * steps.v;
      to[0] = from[0];
      if constexpr (complex) to[steps.imaginary] = source.conjugated ? -from[1] : from[1];
    }
}

template <class T, bool complex, bool scaled>
void scatter_block(const TileFormat& format, const TileSteps& steps, const T* tile, Index k0,
                   const Rectangle<std::byte>& target, T scale) {
  const auto times = [scale](T x) { return scaled ? x * scale : x; };
  for (Index v = 0; v < target.count_v; ++v)
    for (Index k = 0; k < target.count_k; ++k) {
      const T* from = tile + format.place(k0 + k) * steps.k + v * steps.v;
      T* to = reinterpret_cast<T*>(target.data + k * target.step_k + v * target.step_v);
      to[0] = times(from[0]);
      if constexpr (complex) to[1] = times(target.conjugated ? -from[steps.imaginary] : from[steps.imaginary]);
    }
}

/// Part of a rectangle: from (k, v) on, at most the given counts.
template <class Byte>
Rectangle<Byte> part_of(const Rectangle<Byte>& r, Index k, Index v, Index count_k, Index count_v) {
  Rectangle<Byte> part = r;
  part.data += k * r.step_k + v * r.step_v;
  part.count_k = count_k < r.count_k - k ? count_k : r.count_k - k;
  part.count_v = count_v < r.count_v - v ? count_v : r.count_v - v;
  return part;
}

/// Calls move(k, v, part) for blocks small enough that both sides of a transposition stay in cache.
template <class Byte, class Move>
void in_blocks(const Rectangle<Byte>& r, Move move) {
  constexpr Index edge = block_edge;
  for (Index k = 0; k < r.count_k; k += edge)
    for (Index v = 0; v < r.count_v; v += edge) move(k, v, part_of(r, k, v, edge, edge));
}

/// Asks for what the block after this one needs, in rows that lie too far apart for the hardware to see a pattern. Any
/// address is allowed.
inline void want_next_block([[maybe_unused]] const std::byte* row, [[maybe_unused]] Index step) {
#if defined(__GNUC__)
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(row) +
                                                   static_cast<std::uintptr_t>(block_edge * step)));
#endif
}

/// Gathers pencils that are rows: places are in order, and imaginary parts follow their real parts.
template <class T, int parts>
void gather_rows_block(T* tile, Index ld, const Rectangle<const std::byte>& source) {
  for (Index k = 0; k < source.count_k; ++k) {
    const std::byte* from = source.data + k * source.step_k;
    want_next_block(from, source.step_k);
    T* to = tile + k * parts;
    for (Index v = 0; v < source.count_v; ++v, from += source.step_v, to += ld)
      for (int part = 0; part < parts; ++part) to[part] = reinterpret_cast<const T*>(from)[part];
  }
}

template <class T, int parts>
void scatter_rows_block(const T* tile, Index ld, const Rectangle<std::byte>& target, T scale) {
  for (Index k = 0; k < target.count_k; ++k) {
    std::byte* to = target.data + k * target.step_k;
    want_next_block(to, target.step_k);
    const T* from = tile + k * parts;
    for (Index v = 0; v < target.count_v; ++v, to += target.step_v, from += ld)
      for (int part = 0; part < parts; ++part) reinterpret_cast<T*>(to)[part] = from[part] * scale;
  }
}

template <class T>
void gather_loops(const TileFormat& format, T* tile, Index k0, Index v0, const Rectangle<const std::byte>& source) {
  const TileSteps steps(format);
  in_blocks(source, [&](Index k, Index v, const Rectangle<const std::byte>& part) {
    T* to = tile + (v0 + v) * steps.v;
    if (format.order == TileFormat::Order::rows && !part.conjugated && format.places == nullptr) {
      to += (k0 + k) * steps.k;
      return format.complex ? gather_rows_block<T, 2>(to, format.ld, part)
                            : gather_rows_block<T, 1>(to, format.ld, part);
    }
    format.complex ? gather_block<T, true>(format, steps, to, k0 + k, part)
                   : gather_block<T, false>(format, steps, to, k0 + k, part);
  });
}

template <class T, bool scaled>
void scatter_loops(const TileFormat& format, const T* tile, Index k0, Index v0, const Rectangle<std::byte>& target,
                   T scale) {
  const TileSteps steps(format);
  in_blocks(target, [&](Index k, Index v, const Rectangle<std::byte>& part) {
    const T* from = tile + (v0 + v) * steps.v;
    if (format.order == TileFormat::Order::rows && !part.conjugated && format.places == nullptr) {
      from += (k0 + k) * steps.k;
      return format.complex ? scatter_rows_block<T, 2>(from, format.ld, part, scale)
                            : scatter_rows_block<T, 1>(from, format.ld, part, scale);
    }
    format.complex ? scatter_block<T, true, scaled>(format, steps, from, k0 + k, part, scale)
                   : scatter_block<T, false, scaled>(format, steps, from, k0 + k, part, scale);
  });
}

template <class T>
void scatter_loops(const TileFormat& format, const T* tile, Index k0, Index v0, const Rectangle<std::byte>& target,
                   double scale) {
  const T factor = static_cast<T>(scale);
  scale == 1 ? scatter_loops<T, false>(format, tile, k0, v0, target, factor)
             : scatter_loops<T, true>(format, tile, k0, v0, target, factor);
}

}  // namespace shardfft
