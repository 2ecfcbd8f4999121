#include "device/emulated/variables.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "support/text/number.hpp"

namespace shardfft::emulated {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* value = std::getenv(variable);
  if (!value || !*value) return otherwise;
  const std::string_view text = value;
  std::uint64_t number = 0;
  if (!read_number(text, number))
    throw Error(Status::invalid_argument, fmt::format("{} is a number, 0 or more; got '{}'", variable, text));
  return number;
}

}  // namespace shardfft::emulated
