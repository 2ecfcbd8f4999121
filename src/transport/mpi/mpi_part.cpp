// Everything that sees <mpi.h>, in one table: for the registry, or for the library that loads this as a plug-in.
#include <cstring>

#include "shardfft/error.hpp"
#include "shardfft/mpi.hpp"
#include "transport/foreign_mpi.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

Comm group(const void* handle, std::size_t bytes) {
  if (bytes != sizeof(MPI_Comm))
    throw Error(Status::invalid_argument, "a communicator has " + std::to_string(sizeof(MPI_Comm)) + " bytes in " +
                                              library() + "; got one of " + std::to_string(bytes) +
                                              " bytes, of another MPI; use one MPI in a program");
  MPI_Comm comm = MPI_COMM_NULL;
  std::memcpy(&comm, handle, sizeof comm);
  return mpi(comm);
}

Comm start() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED)
    throw Error(Status::unsupported, "MPI must offer MPI_THREAD_FUNNELED; it does not; use another MPI");
  return mpi(MPI_COMM_WORLD);
}

void end() { MPI_Finalize(); }
void abort_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

}  // namespace

const MpiPart& own_mpi_part() {
  static const MpiPart part{.p2p = &mpi_p2p_transport(),
                            .alltoallv = &mpi_alltoallv_transport(),
                            .rma = &mpi_rma_transport(),
                            .node = &mpi_node_transport(),
                            .device = &mpi_device_transport(),
                            .library = &library,
                            .group = &group,
                            .start = &start,
                            .end = &end,
                            .abort = &abort_all};
  return part;
}

}  // namespace shardfft

extern "C" __attribute__((visibility("default"))) const shardfft::MpiPart* mpi_part_of_shardfft() {
  return &shardfft::own_mpi_part();
}
