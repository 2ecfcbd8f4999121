// Which ranks take part: those that a launcher (mpirun, srun) started, or this process alone.
#pragma once

#include <memory>
#include <string>

#include "shardfft/comm.hpp"

namespace shardfft::cli {

/// The processes of one run of the program. Ends MPI, where it was started, when it goes.
class World {
 public:
  virtual ~World() = default;
  [[nodiscard]] virtual const Comm& comm() const = 0;
  /// Ends every rank at once; for errors that the other ranks cannot know of.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// What the environment says about the launcher; nothing where SHARDFFT_MPI=none, for programs that ranks start.
struct Launcher {
  bool present = false;
  int ranks = 0;  ///< 0: it does not say
  int rank = 0;
  const char* mpi = "";  ///< "openmpi" or "mpich"
};
[[nodiscard]] Launcher find_launcher();

/// Whether this rank says an error that came before MPI ran. Rank 0 does. Another rank waits first: if rank 0 has the
/// error, too, the launcher ends this one meanwhile. Under launchers that end no ranks, only rank 0 speaks.
[[nodiscard]] bool may_speak_before_mpi();

/// Ends ranks that wait in MPI_Init for this one. MPICH's launcher does that only when told, in the words of PMI 1;
/// Open MPI's does it when this process ends with a status.
void end_ranks_before_mpi(int status);

/// Starts MPI where a launcher started the program; no launcher is needed. Throws Error(unsupported) when a launcher
/// started several processes that cannot find each other, for example because it belongs to another MPI.
[[nodiscard]] std::unique_ptr<World> join_world();

/// The part that depends on how the program was built: launch_mpi.cpp, or launch_loaded_mpi.cpp that takes the MPI of
/// the launcher.
[[nodiscard]] std::unique_ptr<World> join_mpi();  ///< nullptr without MPI
[[nodiscard]] std::string mpi_library();          ///< "Open MPI v4.1.4"; empty without MPI

}  // namespace shardfft::cli
