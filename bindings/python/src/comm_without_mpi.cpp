// Without MPI there is one rank, or threads as ranks.
#include "module.hpp"

namespace shardfft::python {

Comm comm_of_mpi(std::uintptr_t, std::size_t) {
  throw Error(Status::unsupported,
              "shardfft was built without MPI; install an MPI with its compiler mpicc and build shardfft again");
}

std::string mpi_library() { return {}; }

}  // namespace shardfft::python
