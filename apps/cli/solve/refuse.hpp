// What the commands of solvers say to bad words.
#pragma once

#include <string>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::cli {

[[noreturn]] inline void refuse(const std::string& text) { throw Error(Status::invalid_argument, text); }
[[noreturn]] inline void refuse(const std::string& rule, const std::string& got, const std::string& remedy) {
  refuse(fmt::format("{}; got {}; {}", rule, got, remedy));
}

}  // namespace shardfft::cli
