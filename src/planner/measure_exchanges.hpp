// How long ranks take to hand each other messages.
#pragma once

#include "planner/machine.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective. All-to-all of three sizes through memory and through MPI, as far as there are transports for these ranks. Every rank gets the same numbers.
void measure_exchanges(const Comm& comm, Machine& machine);

}  // namespace shardfft
