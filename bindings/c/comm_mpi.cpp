// Groups of ranks of MPI; the one file of the C interface that knows it.
#include <cstring>

#include "handles.hpp"
#include "shardfft/mpi.hpp"

namespace {

/// "Open MPI v4.1.4"
std::string mpi_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace

int shardfft_comm_mpi(const void* mpi_comm, size_t bytes, shardfft_comm* out) {
  return shardfft::c::make_handle(out, [&] {
    if (bytes != sizeof(MPI_Comm))
      shardfft::c::refuse("an MPI_Comm has " + std::to_string(sizeof(MPI_Comm)) +
                          " bytes in the MPI of this libshardfft, " + mpi_name() + "; got one of " +
                          std::to_string(bytes) +
                          " bytes, of another MPI; link the libshardfft that was built with it");
    shardfft::c::there(static_cast<const char*>(mpi_comm), "`mpi_comm`");
    MPI_Comm comm = MPI_COMM_NULL;
    std::memcpy(&comm, mpi_comm, sizeof comm);
    return shardfft_comm_s{.comm = shardfft::mpi(comm)};
  });
}

int shardfft_comm_mpi_f(int fortran_handle, shardfft_comm* out) {
  return shardfft::c::make_handle(out, [&] {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    // MPI ends programs that ask for a handle outside of its time; mpi() says what is wrong.
    return shardfft_comm_s{.comm = shardfft::mpi(begun && !ended ? MPI_Comm_f2c(fortran_handle) : MPI_COMM_WORLD)};
  });
}
