// What all paths of a tile know: the kernel of an axis and how its tiles lie.
#pragma once

#include <memory>
#include <vector>

#include "sweep/sweep.hpp"

namespace shardfft {

/// A cyclic axis in the order by owner: the index of each element, and its place in the tile.
struct CyclicOrder {
  std::vector<Index> indices, places;
};

/// One axis of a sweep with the tiles that are transformed along it: those of several kernels, taken together.
struct TileAxis : SweepAxis {
  static constexpr int most_kernels = 16;

  /// `wanted`: pencils of a tile, rounded up to a multiple of the kernel's; 0 means the kernel's own number.
  TileAxis(Scalar scalar, const SweepAxis& axis, int wanted);

  [[nodiscard]] bool weighs() const { return !weights.elements.empty(); }  ///< as part of an adjoint
  [[nodiscard]] bool is_chirped() const { return chirp_before || chirp_after; }
  [[nodiscard]] bool reads_rows() const { return kernel->reads_rows() && !twiddles; }
  [[nodiscard]] Index element_in() const { return static_cast<Index>(size_of(scalar)) * (in.complex ? 2 : 1); }
  [[nodiscard]] Index element_out() const { return static_cast<Index>(size_of(scalar)) * (out.complex ? 2 : 1); }
  /// The first of the two buffers of a kernel. The second one is `half` bytes further.
  [[nodiscard]] std::byte* buffer(std::byte* scratch, std::size_t number) const { return scratch + 2 * number * half; }

  Scalar scalar;
  std::size_t half;                                            ///< bytes of one kernel buffer, rounded to lines
  int own, kernels;                                            ///< pencils of a kernel, kernels of a tile
  TileFormat in{}, out{};                                      ///< what is gathered, what is scattered
  std::shared_ptr<const CyclicOrder> order_in{}, order_out{};  ///< nullptr: natural order
  bool prefetches_in_planes = false;                           ///< planes are larger than a core's own cache
};

/// Multiplies the number at `place`, counted in scalars, by `factor`; `imaginary`: scalars from there to its imaginary
/// part, 0: it has none.
void scale_element(Scalar scalar, std::byte* numbers, Index place, Index imaginary, double factor);

}  // namespace shardfft
