#include "shardfft/error.hpp"

#include <array>

namespace shardfft {

std::string_view name(Status status) {
  static constexpr std::array<std::string_view, 11> names = {
      "ok",        "invalid_problem", "invalid_layout", "invalid_argument",
      "mismatch",  "unsupported",     "out_of_memory",  "transport_failed",
      "io_failed", "internal",        "device_failed"};
  const auto i = static_cast<std::size_t>(status);
  return i < names.size() ? names[i] : "unknown";
}

}  // namespace shardfft
