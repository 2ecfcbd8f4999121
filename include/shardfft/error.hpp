// The one exception of the library.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace shardfft {

/// What kind of rule was broken; the C interface returns these numbers.
enum class Status : int {
  ok = 0,
  invalid_problem = 1,   ///< shape, axes, kind or precision do not fit
  invalid_layout = 2,    ///< boxes overlap, leave gaps, or do not fit the shape
  invalid_argument = 3,  ///< a buffer, an option or a call out of order
  mismatch = 4,          ///< ranks passed different arguments
  unsupported = 5,       ///< valid, but this build or machine cannot do it
  out_of_memory = 6,     ///< an allocation failed on some rank
  transport_failed = 7,  ///< communication failed, or a rank died
  io_failed = 8,         ///< a file could not be read or written
  internal = 9,          ///< a defect of this library
  device_failed = 10,    ///< a call to a GPU's driver or library failed
};

[[nodiscard]] std::string_view name(Status status);  ///< "invalid_layout"

/// Gives the rule, the value and the remedy; the same text on every rank of a collective call.
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  [[nodiscard]] Status status() const { return status_; }

 private:
  Status status_;
};

}  // namespace shardfft
