// Types of real numbers.
#pragma once

#include <cstddef>

namespace shardfft {

/// Scalar type of a tile. b8 and b16 are bytes of what is only moved.
enum class Scalar { f32, f64, b8, b16 };

[[nodiscard]] constexpr std::size_t size_of(Scalar scalar) {
  constexpr std::size_t sizes[] = {sizeof(float), sizeof(double), 1, 2};
  return sizes[static_cast<int>(scalar)];
}

}  // namespace shardfft
