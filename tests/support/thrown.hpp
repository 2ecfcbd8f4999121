// Errors as text.
#pragma once

#include <string>

#include "shardfft/error.hpp"

namespace shardfft::testing {

/// What `work` threw: "mismatch: ...", or "" for nothing.
template <class Work>
std::string thrown(Work work) {
  try {
    work();
    return {};
  } catch (const Error& e) { return std::string(name(e.status())) + ": " + e.what(); }
}

}  // namespace shardfft::testing
