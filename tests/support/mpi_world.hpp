// The ranks of a test under a launcher.
#pragma once

#include <mpi.h>

#include "shardfft/mpi.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {

/// MPI_COMM_WORLD, as if every `ranks_per_node` ranks had a node of their own.
[[nodiscard]] inline Comm world(int ranks_per_node) {
  const Variable nodes("SHARDFFT_RANKS_PER_NODE", std::to_string(ranks_per_node));
  return mpi(MPI_COMM_WORLD);
}

}  // namespace shardfft::testing
