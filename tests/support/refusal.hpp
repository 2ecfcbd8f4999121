// What bad input is answered with.
#pragma once

#include <functional>
#include <string>

#include "shardfft/error.hpp"

namespace shardfft::testing {

/// The words of the Error that `work` throws.
inline std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) { return e.what(); }
  return "nothing was refused";
}

}  // namespace shardfft::testing
