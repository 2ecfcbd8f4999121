// The loops of the casts, for every instruction set.
#pragma once

#include "codec/codec.hpp"

namespace shardfft {

enum class CastFormat { f32, f16 };

/// Rounds scale * number to nearest even, `blocks` after one another. Returns the sum of the squares of scale *
/// (decoded - given).
[[nodiscard]] double cast_encode(CastFormat format, const Blocks<const std::byte>& blocks, double scale,
                                 std::byte* payload);

/// number / scale, rounded to the scalar type of the blocks.
void cast_decode(CastFormat format, const std::byte* payload, double scale, const Blocks<std::byte>& blocks);

}  // namespace shardfft
