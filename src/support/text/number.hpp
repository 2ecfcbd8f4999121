// Numbers in words of callers: C's notation, whatever the locale.
#pragma once

#include <charconv>
#include <concepts>
#include <string_view>
#include <system_error>

namespace shardfft {

/// Whether all of `text` is a number that `value` can hold. Otherwise `value` is undefined.
template <std::integral T>
[[nodiscard]] bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}
[[nodiscard]] bool read_number(std::string_view text, double& value);

}  // namespace shardfft
