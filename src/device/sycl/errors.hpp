// Exceptions of SYCL and oneMKL as errors of this library.
#pragma once

#include <exception>
#include <type_traits>

#include "device/device.hpp"
#include "shardfft/error.hpp"

namespace shardfft::on_sycl {

/// Throws the Error for an exception of SYCL: out_of_memory, unsupported, else device_failed. `what`: "copy".
[[noreturn]] void rethrow(const char* what, const std::exception& exception);
[[noreturn]] void throw_other_driver();

/// What `call` returns. Whatever it throws is an Error that says what was done.
template <class Call>
auto checked(const char* what, const Call& call) {
  try {
    return call();
  } catch (const Error&) { throw; } catch (const std::exception& exception) {
    rethrow(what, exception);
  }
}

/// The queue, event or table as this driver's. Throws Error(invalid_argument) for one of another driver.
template <class Ours, class Seam>
[[nodiscard]] auto& of_this_driver(Seam& object) {
  using Result = std::conditional_t<std::is_const_v<Seam>, const Ours, Ours>;
  if (auto* ours = dynamic_cast<Result*>(&object)) return *ours;
  throw_other_driver();
}

}  // namespace shardfft::on_sycl
