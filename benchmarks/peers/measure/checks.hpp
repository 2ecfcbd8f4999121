// The data of a task, and whether a library's answer is right. The same code for every library, C++ and Python.
#pragma once

#include <string>

#include "peers/common/peer.hpp"

namespace shardfft::peers {

struct Findings {
  double error_rel_l2 = 0;           ///< of forward against the exact transform, by random probes
  double error_backward_rel_l2 = 0;  ///< of backward(forward(x)) against x
  double bound = 0;                  ///< what the first must not exceed; the second has twice as much
  [[nodiscard]] bool right() const {
    return error_rel_l2 <= bound && error_backward_rel_l2 <= 2 * bound;
  }  // false for NaN
  [[nodiscard]] std::string why_wrong() const;  ///< one line
};

/// Writes the task's made-up data into the library's input, and lets it take them to its device.
void fill_input(const Task& task, Transform& transform);

/// Collective. Runs forward and backward once more on fresh data and compares both.
[[nodiscard]] Findings check(const Comm& comm, const Task& task, Transform& transform);

}  // namespace shardfft::peers
