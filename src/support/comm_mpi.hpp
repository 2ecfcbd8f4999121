// What the MPI transports need of a group of kind "mpi". Included by mpi_* files only.
#pragma once

#include <mpi.h>

#include <span>

#include "shardfft/comm.hpp"
#include "support/handle.hpp"

namespace shardfft {

/// Throws Error(transport_failed) with MPI's own words unless `code` is MPI_SUCCESS. `what` was asked of MPI: "MPI_Start".
void check_mpi(int code, const char* what);

/// Nothing of MPI may be freed after MPI_Finalize.
[[nodiscard]] bool mpi_is_running();

inline void free_mpi_comm(MPI_Comm comm) {
  if (mpi_is_running()) MPI_Comm_free(&comm);
}
inline void free_mpi_datatype(MPI_Datatype type) {
  if (mpi_is_running()) MPI_Type_free(&type);
}
using MpiComm = Handle<MPI_Comm, free_mpi_comm>;
using MpiDatatype = Handle<MPI_Datatype, free_mpi_datatype>;

/// Collective over `comm`. A communicator with the same ranks whose messages meet no others and whose errors are returned.
[[nodiscard]] MpiComm duplicate(MPI_Comm comm);
/// The communicator behind a Comm. Throws Error(internal) for another kind of group.
[[nodiscard]] MPI_Comm mpi_comm_of(const Comm& comm);
/// What must go on while this rank waits for something else: another rank may need it before that can come. Made and used by the one thread that calls MPI.
class MpiChore {
 public:
  MpiChore() = default;
  MpiChore(const MpiChore&) = delete;
  virtual ~MpiChore() { end_help(); }
  virtual void help() = 0;  ///< without waiting, and without help_all()

 protected:
  void begin_help();  ///< the last thing that its constructor does
  void end_help();    ///< the first thing that its destructor does
};
/// Called in every loop that waits.
void help_all();

/// Waits for all requests by testing and yielding: some MPIs keep the core while they wait, which the awaited rank may need.
void finish(std::span<MPI_Request> requests, const char* what);

}  // namespace shardfft
