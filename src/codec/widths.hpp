// How much payload an index of block widths stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/block_format.hpp"

namespace shardfft {

namespace width_code {
/// Bytes of the payload of so many blocks; `stride`: bytes of the index per block, the width first.
[[nodiscard]] inline std::size_t payload(const std::byte* index, int blocks, int stride) {
  std::size_t sum = 0;
  for (int i = 0; i < blocks; ++i) sum += std::to_integer<std::size_t>(index[i * stride]) & 127;
  return 8 * sum;
}
}  // namespace width_code

/// Offset of block `first` in the payload. `stride`: bytes of the index per block, which begin with the width. The
/// index has at least `first` entries.
[[nodiscard]] inline std::size_t payload_offset(std::span<const std::byte> index, int first, int stride) {
  return width_code::payload(index.data(), first, stride);
}

}  // namespace shardfft
