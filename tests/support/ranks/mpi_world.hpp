// The ranks of a test under a launcher.
#pragma once

#include <mpi.h>

#include <thread>

#include "shardfft/mpi.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {

/// MPI_COMM_WORLD, as if every `ranks_per_node` ranks had a node of their own.
[[nodiscard]] inline Comm world(int ranks_per_node) {
  const Variable nodes("SHARDFFT_RANKS_PER_NODE", std::to_string(ranks_per_node));
  return mpi(MPI_COMM_WORLD);
}

/// Whether the ranks take turns on the cores and none makes room for another before its time is up, as with MPICH: all
/// takes tens of times longer.
[[nodiscard]] inline bool crowded([[maybe_unused]] const Comm& comm) {
#ifdef MPICH_VERSION
  return comm.size() > static_cast<int>(std::thread::hardware_concurrency());
#else
  return false;
#endif
}

}  // namespace shardfft::testing
