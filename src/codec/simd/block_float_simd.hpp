// The loops of block_float, for every instruction set.
#pragma once

#include "codec/codec.hpp"

namespace shardfft {

struct Quantiser {
  double step = 1;  ///< a number of the blocks' scalar type, normal, and so is its inverse
  Rounding rounding = Rounding::nearest;
};

/// lost2 in squares of the step.
[[nodiscard]] Encoded block_float_encode(const Quantiser& quantiser, const Blocks<const std::byte>& blocks,
                                         std::byte* index, std::byte* payload);

[[nodiscard]] bool block_float_decode(const Quantiser& quantiser, std::span<const std::byte> index,
                                      std::span<const std::byte> payload, int first, const Blocks<std::byte>& blocks);

}  // namespace shardfft
