// How several ranks of a program are started.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/cases/case.hpp"

namespace shardfft::compare {

struct Launcher {
  /// Words in front of the program. {ranks}, {threads} and {nodes} stand for the case's numbers; without {ranks} the
  /// number of ranks is the last word.
  std::vector<std::string> words{};
  bool open_mpi = false;  ///< gets its flags for more ranks than cores and for root
  int cores = 1;          ///< of each node
  bool root = false;
  int nodes = 1;  ///< over which it can spread ranks
};

/// $SHARDFFT_MPIRUN where it is set ("srun -N {nodes} -n {ranks} -c {threads}", "mpirun --bind-to core -n",
/// "tools/mpirun /usr/bin/mpiexec"): used as it is. Else the launcher of the MPI that this program was built with.
/// `max_nodes` are there; 0: as many as Slurm gave this job ($SLURM_JOB_NUM_NODES, $SLURM_NNODES), else any number
/// where $SHARDFFT_MPIRUN asks for {nodes}, else one.
[[nodiscard]] Launcher find_launcher_words(const std::string& mpi_library, int cores, int max_nodes = 0);

struct Launch {
  std::vector<std::string> words{};
  std::vector<std::pair<std::string, std::string>> environment{};
};
/// Words in front of a program of this case; none for one rank. Throws Error(unsupported) for several ranks where there
/// is no launcher.
[[nodiscard]] Launch launch_of(const Launcher& launcher, const Case& c);

/// Throws Error(unsupported) where the case has several ranks and there is no launcher, or none that can be run.
void require_launcher(const Launcher& launcher, const Case& c);

}  // namespace shardfft::compare
