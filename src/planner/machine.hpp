// What a plan runs on, as far as the model needs it. Decided by rank 0, the same on all ranks.
#pragma once

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"

namespace shardfft {

/// Defaults are orders of magnitude of current servers, to be replaced by what can be found out or measured.
struct Machine {
  Index l2_bytes = 1 << 20;           ///< per core
  Index l3_bytes = 32 << 20;          ///< per socket
  int cores = 1;                      ///< that this process may use
  double memory_bytes_per_s = 10e9;   ///< copy bandwidth of one core, bytes read plus bytes written
  double arithmetic_flops = 40e9;     ///< of one core in cache
  double network_bytes_per_s = 2e9;   ///< of one rank, out
  double message_s = 5e-6;            ///< overhead of a message to another node
  double near_message_s = 2e-7;       ///< of a flag to another rank on the node
  double epoch_s = 2e-6;              ///< an exchange inside a node, however small
};

/// Looks at this machine. Cores are those of the process's affinity mask.
[[nodiscard]] Machine this_machine();

/// Threads of a rank when nobody says: OMP_NUM_THREADS, else its share of the cores of its node.
[[nodiscard]] int default_threads(const Comm& comm, const Machine& machine);

}  // namespace shardfft
