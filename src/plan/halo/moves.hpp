// What one round of a halo stores and reads: boxes of this rank's array and where their other side lies.
#pragma once

#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

/// A box in the array and one of the same shape in a message, or elsewhere in the array.
struct HaloMove {
  Shape shape{};
  Index at = 0;                  ///< bytes from the start of the array
  std::byte* message = nullptr;  ///< nullptr: the other side lies in the array
  Index other = 0;               ///< bytes from the start of either
  Coord other_strides{};         ///< in bytes
};

enum class HaloWay { store, fill, add_f32, add_f64 };

/// All of them, one after the other, by up to `threads` threads: `store` copies from the array, the others copy or add
/// to it. Whoever adds to the same element does so in the order of the list.
void run(const std::vector<HaloMove>& moves, HaloWay way, std::byte* array, const Coord& strides, Index element_bytes,
         int threads);

}  // namespace shardfft
