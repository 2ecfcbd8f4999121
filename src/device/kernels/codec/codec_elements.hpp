// Elements of arrays as numbers of blocks, where messages hold whole blocks.
#pragma once

#include "device/kernels/codec/codec_walk.hpp"
#include "device/kernels/twiddles.hpp"

namespace shardfft::kernels {

/// Bytes from the base to an element.
SHARDFFT_HD inline Index place_of(const BlockSegment& segment, std::uint32_t element) {
  Index at = segment.at;
  for (int a = segment.axes - 1; a > 0; --a) {
    const SegmentAxis& axis = segment.axis[a];
    const std::uint32_t rest = axis.by_extent(element);
    at += static_cast<Index>(element - rest * axis.extent) * axis.step;
    element = rest;
  }
  return segment.axes > 0 ? at + static_cast<Index>(element) * segment.axis[0].step : at;
}

/// A block and the segment that it is a part of.
struct BlockPart {
  const BlockSegment& segment;
  Index number = 0;  ///< of the block in the segment
};
/// Block `b`, entry `entry` of those that are asked for.
SHARDFFT_HD inline BlockPart part_of(const BlockElements& all, Index entry, Index b) {
  const BlockSegment& segment = all.segment[all.segment_of[entry]];
  return {segment, b - segment.first};
}
SHARDFFT_HD inline std::uint64_t key_of(const BlockTables& t, const BlockPart& part) {
  return t.dither ? block_key(t.seed, part.segment.first_element, static_cast<std::uint64_t>(part.number)) : 0;
}

/// visit(position, lane, its place in memory) for both numbers of each lane; nullptr where the segment has ended.
template <class T, class Visit>
SHARDFFT_HD void each_place(const Warp& warp, const BlockElements& all, const BlockPart& part, const Visit& visit) {
  const BlockSegment& segment = part.segment;
  const auto base = reinterpret_cast<std::uintptr_t>(all.bases.start[static_cast<int>(
      segment.base)]);  // as an integer, so that a base of nothing is no pointer that is moved
  const auto first = static_cast<std::uint32_t>(part.number) * block_numbers;
  const std::uint32_t shift = all.complex ? 1 : 0;
  each_number(warp, [&](int i, int lane) {
    const std::uint32_t n = first + static_cast<std::uint32_t>(i), element = n >> shift;
    visit(i, lane,
          element < segment.elements
              ? reinterpret_cast<T*>(base + static_cast<std::uintptr_t>(place_of(segment, element)) +
                                     (n & shift) * sizeof(T))
              : nullptr);
  });
}

template <class T>
SHARDFFT_HD BlockNumbers<T> load_block(const Warp& warp, const BlockElements& all, const BlockPart& part) {
  BlockNumbers<T> x;
  each_place<const T>(warp, all, part, [&](int i, int lane, const T* place) { x(i, lane) = place ? *place : T(0); });
  return x;
}

template <class T>
SHARDFFT_HD void store_block(const Warp& warp, const BlockElements& all, const BlockPart& part,
                             const BlockNumbers<T>& x) {
  each_place<T>(warp, all, part, [&](int i, int lane, T* place) {
    if (place) *place = x(i, lane);
  });
}

/// Complex numbers of a block times the factors of the places that they are stored to. Both lanes of a number find its
/// factor.
template <class T>
SHARDFFT_HD void multiply_block(const Warp& warp, const BlockPart& part, const TwiddlesByPlace& twiddles,
                                BlockNumbers<T>& x) {
  const BlockSegment& segment = part.segment;
  const BlockNumbers<T> others = x.swapped(warp);
  const auto first = static_cast<std::uint32_t>(part.number) * block_numbers;
  each_number(warp, [&](int i, int lane) {
    const std::uint32_t n = first + static_cast<std::uint32_t>(i);
    if (n / 2 >= segment.elements) return;
    const Phase<T> turn = twiddles.factor<T>(place_of(segment, n / 2));
    x(i, lane) =
        n % 2 == 0 ? turned_re(x(i, lane), others(i, lane), turn) : turned_im(others(i, lane), x(i, lane), turn);
  });
}

}  // namespace shardfft::kernels
