// Gather and scatter: between strided memory and a tile in cache. Run-time dispatched SIMD for the patterns that
// matter, plain loops for the rest.
#pragma once

#include <cstddef>

#include "engine/engine.hpp"

namespace shardfft {

/// A rectangle of array elements: element (k, v) is at data + k*step_k + v*step_v bytes, for 0 <= k < count_k, 0 <= v <
/// count_v. Real or complex as the tile's format says; complex elements are interleaved (re, im). Addresses are
/// multiples of the scalar's size, no more.
template <class Byte>
struct Rectangle {
  Byte* data = nullptr;
  Index count_k = 0, count_v = 0;
  Index step_k = 0, step_v = 0;  ///< bytes; zero only when the count is 1
  bool conjugated = false;       ///< complex elements lie there as their conjugates
};

/// tile(k0 + k, v0 + v) = source(k, v), element by element at the format's places. `tile` points at the start of the
/// buffer. A complex rectangle is never gathered into a real tile.
void gather(Scalar scalar, const TileFormat& format, std::byte* tile, Index k0, Index v0,
            const Rectangle<const std::byte>& source);

/// Pencils v >= count of a partly filled tile become zero, so that no lane holds garbage (signalling NaN, denormals).
void clear_pencils(Scalar scalar, const TileFormat& format, std::byte* tile, Index count);

/// target(k, v) = scale * tile(k0 + k, v0 + v), element by element at the format's places; `scale` 1 leaves the bits
/// alone. `non_temporal`: the target will not be read soon, so whole, aligned cache lines may bypass the cache (the
/// caller fences with non_temporal_fence() before it tells anyone).
void scatter(Scalar scalar, const TileFormat& format, const std::byte* tile, Index k0, Index v0,
             const Rectangle<std::byte>& target, double scale, bool non_temporal);

/// Makes non-temporal stores of this thread visible before later stores.
void non_temporal_fence();

}  // namespace shardfft
