// The C library's group of an MPI communicator.
#pragma once

#include <mpi.h>

#include "shardfft.h"

namespace shardfft::fftw_mpi {

/// Collective at its first call for `comm`, and kept with it: programs make thousands of plans, and MPI has few
/// communicators. Throws std::runtime_error.
shardfft_comm group_of(MPI_Comm comm);

/// Calls `last` when MPI_Finalize begins.
void at_finalize(void (*last)());

}  // namespace shardfft::fftw_mpi
