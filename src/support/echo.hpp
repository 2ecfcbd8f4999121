// What errors repeat of what they were given.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardfft {

constexpr std::size_t longest_echo = 200;  ///< characters

/// Printable: control characters and bytes that are no UTF-8 as \xNN; the first `longest_echo` characters, then how many there were.
[[nodiscard]] std::string echoed(std::string_view argument);

/// The same of everything long in a message: what stands in single quotes, and words. Line ends stay.
[[nodiscard]] std::string with_short_echoes(const std::string& message);

}  // namespace shardfft
