// Parts of arrays in memory, all in C order.
#pragma once

#include <cstddef>

#include "shardfft/box.hpp"

namespace shardfft {

/// A part of an array, and its place there.
struct PartOfArray {
  Shape array{}, part{};
  Coord at{};  ///< where the part begins
  Index element_bytes = 0;
};

void put_part(const PartOfArray& where, const std::byte* part, std::byte* array);
void take_part(const PartOfArray& where, const std::byte* array, std::byte* part);

}  // namespace shardfft
