// How long ranks take to hand each other messages.
#pragma once

#include "planner/model/machine.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective. All-to-all of three sizes through memory and through MPI inside nodes, and through MPI to other nodes,
/// as far as there are transports for these ranks; among many of them the sizes that leave inboxes small. Rank 0 has
/// the numbers of its own node.
void measure_exchanges(const Comm& comm, Machine& machine);

}  // namespace shardfft
