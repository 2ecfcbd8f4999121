// Groups of ranks of MPI; the one file of the module that knows it.
#include <cstring>

#include "module.hpp"
#include "shardfft/mpi.hpp"

namespace shardfft::python {

Comm comm_of_mpi(std::uintptr_t address, std::size_t bytes) {
  if (bytes != sizeof(MPI_Comm))
    throw Error(Status::invalid_argument,
                "a communicator has " + std::to_string(sizeof(MPI_Comm)) + " bytes in " + mpi_library() +
                    ", with which shardfft was built; got one of " + std::to_string(bytes) +
                    " bytes; build shardfft and mpi4py with the same MPI");
  MPI_Comm comm = MPI_COMM_NULL;
  std::memcpy(&comm, reinterpret_cast<const void*>(address), sizeof comm);
  const nb::gil_scoped_release free;
  return mpi(comm);
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace shardfft::python
