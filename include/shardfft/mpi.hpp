// The one public header that knows MPI.
#pragma once

#include <mpi.h>

#include "shardfft/comm.hpp"

namespace shardfft {

/// The ranks of an MPI communicator. Collective over `comm`; MPI is initialised and finalised by the caller
/// (MPI_THREAD_FUNNELED is enough). The communicator is duplicated; the duplicate is freed with the last copy, or when
/// MPI_Finalize was called before that.
[[nodiscard]] Comm mpi(MPI_Comm comm);

}  // namespace shardfft
