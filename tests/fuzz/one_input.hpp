// What fuzzing does with one input: bytes that no encoder made are decoded, or numbers are encoded and decoded again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/codec.hpp"

namespace shardfft::testing {

/// Empty, or what is wrong. An input is a head of 12 bytes {what: 1 f32, 2 dither, 4 numbers instead of encoded bytes,
/// 8 usual instead of a priori; first block; number of blocks; tolerance 2^-x; parameter: 8 bytes of a double} and, for
/// decoding, index and payload, else numbers, repeated as often as needed.
[[nodiscard]] std::string try_input(const Codec& codec, std::span<const std::uint8_t> input);

/// An input with what the codec makes of noise, of some zeros and of an Inf: where mutations start.
[[nodiscard]] std::vector<std::uint8_t> encoded_input(const Codec& codec, Scalar scalar, Rounding rounding,
                                                      unsigned seed);
/// One of numbers.
[[nodiscard]] std::vector<std::uint8_t> numbers_input(Scalar scalar, Rounding rounding, unsigned seed);

}  // namespace shardfft::testing
