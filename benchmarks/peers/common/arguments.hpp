// The command line of a peer.
#pragma once

#include <string>
#include <vector>

#include "peer.hpp"

namespace shardfft::peers {

struct Arguments {
  Task task{};
  int iterations = 7, warmup = 2;
  std::string result{};  ///< file
  bool about = false, help = false;
  std::string text{};  ///< of --help
};

/// Throws Error(invalid_argument) with the rule, what it got, the remedy.
[[nodiscard]] Arguments parse(const std::string& program, const std::vector<std::string>& words);

}  // namespace shardfft::peers
