// Elements of arrays in whole blocks, as messages hold them, and back; and the keys of blocks.
#pragma once

#include "device/kernels/codec_block.hpp"
#include "device/kernels/codec_walk.hpp"

namespace shardfft::kernels {

/// Bytes from the base to an element.
SHARDFFT_HD inline Index place_of(const BlockSegment& segment, std::uint32_t element) {
  Index at = segment.at;
  for (int a = segment.axes - 1; a > 0; --a) {
    const std::uint32_t rest = element / segment.extent[a];
    at += static_cast<Index>(element - rest * segment.extent[a]) * segment.step[a];
    element = rest;
  }
  return segment.axes > 0 ? at + static_cast<Index>(element) * segment.step[0] : at;
}

template <class T>
struct MoveElements : WarpPerBlock {
  BlockElements task{};
  SHARDFFT_HD Index blocks() const { return blocks_of(task.blocks); }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    with_warp(block, thread, task.blocks, [&](const Warp& warp, Index b) {
      const BlockSegment& segment = task.segment[task.segment_of[b]];
      std::byte* base = task.bases.start[static_cast<int>(segment.base)];
      T* x = reinterpret_cast<T*>(task.values) + b * block_numbers;
      const auto first = static_cast<std::uint32_t>(b - segment.first) * block_numbers;
      const std::uint32_t shift = task.complex ? 1 : 0;
      each_number(warp, [&](int i, int) {
        const std::uint32_t n = first + static_cast<std::uint32_t>(i), element = n >> shift;
        const bool there = element < segment.elements;
        if (!there && task.way == BlockElements::Way::scatter) return;
        // In integers, so that a base of nothing is no pointer that is moved.
        const auto place = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(there ? place_of(segment, element) : 0) + (n & shift) * sizeof(T);
        auto* number = reinterpret_cast<T*>(place);
        if (task.way == BlockElements::Way::gather) x[i] = there ? *number : T(0);
        else *number = x[i];
      });
    });
  }
};

struct MakeKeys {
  static constexpr int threads = 128, phases = 1;
  struct Shared {};
  BlockKeys task{};
  SHARDFFT_HD Index blocks() const { return (task.blocks + threads - 1) / threads; }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const Index b = block * threads + thread;
    if (b >= task.blocks) return;
    const BlockSegment& segment = task.segment[task.segment_of[b]];
    task.keys[b] = block_key(task.seed, segment.first_element, static_cast<std::uint64_t>(b - segment.first));
  }
};

}  // namespace shardfft::kernels
