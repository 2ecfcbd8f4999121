// Checksums of the payloads of groups, made where they lie: the host's XXH3, bit by bit, so that only heads of messages
// go to the host.
#pragma once

#include "device/blocks.hpp"

namespace shardfft {

/// After EncodeBlocks, or of what arrived.
struct SumPayloads {
  BlockTables tables{};
  const GroupMade* made = nullptr;  ///< [groups], of any content
  std::uint64_t* sum = nullptr;     ///< [groups]; 0 where can_be_summed is false, or a payload lies outside
};

/// Encoders make nothing else: whole words, no more than of the numbers as they are.
[[nodiscard]] constexpr SHARDFFT_HD bool can_be_summed(std::uint64_t bytes, std::uint64_t blocks) {
  return bytes % 8 == 0 && bytes <= blocks * block_numbers * sizeof(double);
}

}  // namespace shardfft
