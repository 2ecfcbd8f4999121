// What the environment says of the emulated devices.
#pragma once

#include <cstdint>

namespace shardfft::emulated {

/// The variable's value, or `otherwise` where it is not set. Throws Error(invalid_argument) for what is no number.
[[nodiscard]] std::uint64_t number_from(const char* variable, std::uint64_t otherwise);

}  // namespace shardfft::emulated
