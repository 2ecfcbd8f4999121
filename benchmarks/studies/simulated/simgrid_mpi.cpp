// What SimGrid's MPI lacks, or says otherwise.
#include <mpi.h>

#include "shardfft/box.hpp"

namespace shardfft {

/// Stands in for transport/mpi/mpi_eager.cpp, which asks MPI_T. SimGrid has none.
Index tcp_eager_bytes();
Index tcp_eager_bytes() { return 0; }

}  // namespace shardfft

/// Each rank is a thread, and one runs at a time. SimGrid says MPI_THREAD_SINGLE, and takes only rank 0 for main.
extern "C" int MPI_Query_thread(int* level) {
  *level = MPI_THREAD_SERIALIZED;
  return MPI_SUCCESS;
}

// SimGrid's collectives that do not block send from each rank to each other one. The blocking ones have a tree. Plans
// are made in the same order on all ranks, so what they agree on may block. The one byte of a run, or of a plan's end,
// may not.
extern "C" int MPI_Iallgather(const void* mine, int count, MPI_Datatype type, void* all, int counts, MPI_Datatype types,
                              MPI_Comm comm, MPI_Request* request) {
  if (count == 1) return PMPI_Iallgather(mine, count, type, all, counts, types, comm, request);
  *request = MPI_REQUEST_NULL;
  return MPI_Allgather(mine, count, type, all, counts, types, comm);
}
