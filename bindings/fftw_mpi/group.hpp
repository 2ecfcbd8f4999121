// The C library's group of an MPI communicator.
#pragma once

#include <mpi.h>

#include <memory>
#include <type_traits>

#include "shardfft.h"

namespace shardfft::fftw_mpi {

using Group = std::shared_ptr<std::remove_pointer_t<shardfft_comm>>;

/// Collective at its first call for `comm`, and kept with it: programs make thousands of plans, and MPI has few
/// communicators. Plans that keep the group may outlive `comm`. Throws std::runtime_error.
Group group_of(MPI_Comm comm);

/// Calls `last` when MPI_Finalize begins.
void at_finalize(void (*last)());

}  // namespace shardfft::fftw_mpi
