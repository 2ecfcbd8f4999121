// The codecs that may be compiled in. Only registry.cpp knows which ones were.
#pragma once

#include "codec/codec.hpp"

namespace shardfft {

/// What a group says about itself in a message: never given to another codec, in any version. 3, 6 and 9 were
/// others.
enum class CodecNumber : std::uint8_t {
  none = 0,
  f32 = 1,
  f16 = 2,
  mantissa = 4,
  block_float = 5,
  zfp = 7,
  lossless = 8,
};

[[nodiscard]] const Codec& none_codec();
[[nodiscard]] const Codec& f32_codec();
[[nodiscard]] const Codec& f16_codec();
[[nodiscard]] const Codec& mantissa_codec();
[[nodiscard]] const Codec& block_float_codec();
[[nodiscard]] const Codec& zfp_codec();
[[nodiscard]] const Codec& lossless_codec();

}  // namespace shardfft
