// Whether what was measured of a machine can be true: another program on the cores slows down what is measured just
// then, and nothing else.
#pragma once

#include <functional>
#include <string>

#include "planner/model/machine.hpp"

namespace shardfft {

/// Cores of this node, also those that this process may not use: what a node does may have been measured with all of
/// them.
[[nodiscard]] int cores_of_node();

/// Which two numbers contradict each other, with both: "the node's 37.9 GB/s are more than its 2 cores' 21.2 GB/s
/// together". Empty where none do.
[[nodiscard]] std::string contradiction_in(const Machine& machine, int cores);

/// measure(m) until m makes sense, `most` times at most. What is measured again can only have been too slow, so the
/// faster of two numbers is kept. Returns the contradiction that is left, or nothing.
[[nodiscard]] std::string measure_until_sensible(Machine& machine, int cores, int most,
                                                 const std::function<Machine()>& measure);

}  // namespace shardfft
