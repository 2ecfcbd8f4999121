// A build without MPI has no groups of it.
#include "handles.hpp"

namespace {

shardfft_comm_s no_mpi() {
  throw shardfft::Error(
      shardfft::Status::unsupported,
      "ranks of MPI need a libshardfft with MPI; got one that was built without it; build it where an "
      "MPI is found, or take shardfft_comm_local() or shardfft_on_ranks()");
}

}  // namespace

int shardfft_comm_mpi(const void*, size_t, shardfft_comm* out) { return shardfft::c::make_handle(out, no_mpi); }
int shardfft_comm_mpi_f(int, shardfft_comm* out) { return shardfft::c::make_handle(out, no_mpi); }
