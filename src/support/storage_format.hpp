// Numbers that lie in fewer bytes than they are computed with: in a shorter format, multiplied with a power of two that
// keeps all of them in its range.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "shardfft/box.hpp"
#include "support/scalar.hpp"

namespace shardfft {

enum class StorageFormat : std::uint8_t { f32, f16 };

struct StorageFacts {
  std::string_view name{};  ///< as that of the codec
  Index bytes = 4;          ///< of a number
  /// L2 norm of what casting an array loses / that of the array, at most, where 2^(top - 5/2) <= norm of what is stored
  /// < 2^top, of at most `most_numbers`: every number that is normal in the format is off by half a unit of its last
  /// place. One in a hundred on top is for two roundings in a row, for numbers that become subnormal, and for what is
  /// lost of what was off already.
  double roundoff = 0;
  int top = 0;
  double most_numbers = 0;
};

/// By StorageFormat; the shortest one last.
inline constexpr std::array<StorageFacts, 2> storage_formats{{
    {.name = "f32", .bytes = 4, .roundoff = 1.01 * 0x1p-24, .top = 100, .most_numbers = 0x1p60},
    {.name = "f16", .bytes = 2, .roundoff = 1.01 * 0x1p-11, .top = 15, .most_numbers = 0x1p37},
}};
[[nodiscard]] constexpr const StorageFacts& facts_of(StorageFormat format) {
  return storage_formats[static_cast<std::size_t>(format)];
}

/// How the numbers of an array lie: x as x * scale.
struct ScaledStorage {
  StorageFormat format = StorageFormat::f32;
  double scale = 1;  ///< a power of two; that of the run
};

}  // namespace shardfft
