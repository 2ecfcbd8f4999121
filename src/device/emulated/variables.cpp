#include "device/emulated/variables.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::emulated {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* value = std::getenv(variable);
  if (!value || !*value) return otherwise;
  const std::string_view text = value;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(Status::invalid_argument, fmt::format("{} is a number, 0 or more; got '{}'", variable, text));
  return number;
}

}  // namespace shardfft::emulated
