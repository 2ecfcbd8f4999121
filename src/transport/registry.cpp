// Which transports were compiled in, best first.
#include "transport/mixed.hpp"
#include "transport/registered.hpp"

namespace shardfft {

std::span<const Transport* const> transports() {
#if SHARDFFT_WITH_MPI
  static const Mixed mixed("mixed", shared_memory_transport(), mpi_p2p_transport());
  static const Mixed mixed_rma("mixed_rma", shared_memory_transport(), mpi_rma_transport(), &mixed);
#endif
  static const Transport* const table[] = {
      &shared_memory_transport(),
#if SHARDFFT_WITH_MPI
      &mixed,
      &mpi_p2p_transport(),
      &mpi_alltoallv_transport(),
      &mixed_rma,
      &mpi_rma_transport(),
#endif
      &threads_transport(),
      &dry_run_transport(),
      // In the memory of devices.
      &peer_kernel_transport(),
      &peer_copy_transport(),
#if SHARDFFT_WITH_NCCL
      &nccl_transport(),
#endif
#if SHARDFFT_WITH_MPI
      &mpi_device_transport(),
#endif
      &via_host_transport(),
      &staged_transport(),
  };
  return table;
}

const Transport* find_transport(std::string_view name) {
  for (const Transport* transport : transports())
    if (transport->name() == name) return transport;
  return nullptr;
}

}  // namespace shardfft
