// The patterns of gather and scatter that have vector code: tiles in the lanes format of this machine's vectors, whose
// pencils or elements are contiguous in memory.
#pragma once

#include "sweep/host/tile_moves.hpp"

namespace shardfft {

/// False when the pattern has no vector code and nothing was done.
template <class T>
[[nodiscard]] bool gather_simd(const TileFormat& format, T* tile, Index k0, Index v0,
                               const Rectangle<const std::byte>& source);

template <class T>
[[nodiscard]] bool scatter_simd(const TileFormat& format, const T* tile, Index k0, Index v0,
                                const Rectangle<std::byte>& target, double scale, bool non_temporal);

}  // namespace shardfft
