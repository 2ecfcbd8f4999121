// What is to be compared: cases, and on each of them which libraries with which calls.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "case.hpp"

namespace shardfft::compare {

struct CaseRequest {
  Case work{};
  std::vector<std::string> with{"all"};    ///< libraries beside shardfft
  std::vector<std::string> calls{"best"};  ///< best, default
  bool oversubscribe = false;              ///< runs with more ranks x threads than cores
};

/// What a node has, and how many there are.
struct Room {
  int cores = 1;
  double memory_bytes = 0;  ///< available
  int nodes = std::numeric_limits<int>::max();
};

/// Why the case does not fit; empty when it does. Memory is never oversubscribed: an estimate of five arrays (input,
/// output, work, what checking needs).
[[nodiscard]] std::string too_large_for(const Room& room, const CaseRequest& request);

/// Throws Error(invalid_argument) for another call than best and default.
void check_call(const std::string& option, const std::string& call);

}  // namespace shardfft::compare
