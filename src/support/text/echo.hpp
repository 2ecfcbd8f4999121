// What errors repeat of what they were given.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardfft {

constexpr std::size_t longest_echo = 200;  ///< characters

/// As text that a terminal does not obey: control characters as \n, \t or \xNN, and bytes that are no UTF-8 as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

/// Printable; the first `longest_echo` characters, then how many bytes there were.
[[nodiscard]] std::string echoed(std::string_view argument);

/// The same of everything long in a message: what stands in single quotes, and words. Line ends stay.
[[nodiscard]] std::string with_short_echoes(const std::string& message);

}  // namespace shardfft
