// What the machine really does.
#pragma once

#include "planner/model/machine.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective, a second or two: bandwidths of one core and of the node, in-cache rates of all engines, all-to-all among
/// these ranks through memory and through MPI. `known`: what need not be measured again. The result is the same on
/// every rank, and does not depend on how many threads a plan has. What contradicts itself is measured again; where it
/// still does, one notice says so, and the result is `known`.
[[nodiscard]] Machine measure_machine(const Comm& comm, const Machine& known);

/// Collective: one measurement, on a busy machine one that may contradict itself. `known`: as in measure_machine().
[[nodiscard]] Machine measure_once(const Comm& comm, const Machine& known);

}  // namespace shardfft
