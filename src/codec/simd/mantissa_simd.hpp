// The loops of the codec mantissa, for every instruction set.
#pragma once

#include "codec/codec.hpp"

namespace shardfft {

/// Bytes of the index per block: the width, and the exponent that is subtracted (16 bits, lowest byte first).
inline constexpr int mantissa_index_bytes = 3;

[[nodiscard]] Encoded mantissa_encode(int bits, const Blocks<const std::byte>& blocks, std::byte* index,
                                      std::byte* payload);

[[nodiscard]] bool mantissa_decode(int bits, std::span<const std::byte> index, std::span<const std::byte> payload,
                                   int first, const Blocks<std::byte>& blocks);

}  // namespace shardfft
