#include "sweep/host/tile_moves.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "sweep/host/tile_loops.hpp"
#include "sweep/simd/tile_simd.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace shardfft {

namespace {

/// Calls f with a value of the scalar's type.
template <class F>
void with_scalar(Scalar scalar, F f) {
  switch (scalar) {
    case Scalar::f32:
      return f(float{});
    case Scalar::f64:
      return f(double{});
    case Scalar::b8:
    case Scalar::b16:
      return;  // tiles have numbers: these are copied
  }
}

template <class T>
Index element_bytes(const TileFormat& format) {
  return static_cast<Index>(sizeof(T)) * (format.complex ? 2 : 1);
}

/// Rows of the tile and of the rectangle are both contiguous, and the same.
template <class T, class Byte>
bool rows_match(const TileFormat& format, const Rectangle<Byte>& r) {
  return format.order == TileFormat::Order::rows && r.step_k == element_bytes<T>(format) && !r.conjugated &&
         format.places == nullptr;
}

template <class T>
void gather_rows(const TileFormat& format, T* tile, Index k0, Index v0, const Rectangle<const std::byte>& source) {
  const Index parts = format.complex ? 2 : 1;
  const auto bytes = static_cast<std::size_t>(source.count_k * element_bytes<T>(format));
  for (Index v = 0; v < source.count_v; ++v)
    std::memcpy(tile + (v0 + v) * format.ld + k0 * parts, source.data + v * source.step_v, bytes);
}

template <class T>
void scatter_rows(const TileFormat& format, const T* tile, Index k0, Index v0, const Rectangle<std::byte>& target,
                  T scale) {
  const Index parts = format.complex ? 2 : 1, scalars = target.count_k * parts;
  for (Index v = 0; v < target.count_v; ++v) {
    const T* from = tile + (v0 + v) * format.ld + k0 * parts;
    T* to = reinterpret_cast<T*>(target.data + v * target.step_v);
    if (scale == 1)
      std::memcpy(to, from, static_cast<std::size_t>(scalars) * sizeof(T));
    else
      for (Index i = 0; i < scalars; ++i) to[i] = from[i] * scale;
  }
}

template <class T>
void clear(const TileFormat& format, T* tile, Index count) {
  const TileSteps steps(format);
  const Index parts = format.complex ? 2 : 1;
  if (format.order == TileFormat::Order::lanes) {
    for (Index k = 0; k < format.length; ++k)
      for (Index row = format.place(k) * parts; row < (format.place(k) + 1) * parts; ++row)
        std::fill(tile + row * format.pencils + count, tile + (row + 1) * format.pencils, T(0));
  } else {
    for (Index v = count; v < format.pencils; ++v)
      for (Index k = 0; k < format.length; ++k)
        std::fill_n(tile + v * format.ld + format.place(k) * parts, parts, T(0));
  }
}

}  // namespace

void gather(Scalar scalar, const TileFormat& format, std::byte* tile, Index k0, Index v0,
            const Rectangle<const std::byte>& source) {
  if (source.count_k <= 0 || source.count_v <= 0) return;
  with_scalar(scalar, [&](auto zero) {
    using T = decltype(zero);
    T* to = reinterpret_cast<T*>(tile);
    if (rows_match<T>(format, source)) return gather_rows(format, to, k0, v0, source);
    if (gather_simd(format, to, k0, v0, source)) return;
    gather_loops(format, to, k0, v0, source);
  });
}

void scatter(Scalar scalar, const TileFormat& format, const std::byte* tile, Index k0, Index v0,
             const Rectangle<std::byte>& target, double scale, bool non_temporal) {
  if (target.count_k <= 0 || target.count_v <= 0) return;
  with_scalar(scalar, [&](auto zero) {
    using T = decltype(zero);
    const T* from = reinterpret_cast<const T*>(tile);
    if (rows_match<T>(format, target)) return scatter_rows(format, from, k0, v0, target, static_cast<T>(scale));
    if (scatter_simd(format, from, k0, v0, target, scale, non_temporal)) return;
    scatter_loops(format, from, k0, v0, target, scale);
  });
}

void clear_pencils(Scalar scalar, const TileFormat& format, std::byte* tile, Index count) {
  if (count >= format.pencils) return;
  with_scalar(scalar, [&](auto zero) { clear(format, reinterpret_cast<decltype(zero)*>(tile), count); });
}

void non_temporal_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace shardfft
