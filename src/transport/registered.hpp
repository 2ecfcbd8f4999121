// The transports, for the registry only.
#pragma once

#include "transport/transport.hpp"

namespace shardfft {

[[nodiscard]] const Transport& threads_transport();
[[nodiscard]] const Transport& shared_memory_transport();
[[nodiscard]] const Transport& dry_run_transport();
[[nodiscard]] const Transport& mpi_p2p_transport();        ///< built with MPI
[[nodiscard]] const Transport& mpi_alltoallv_transport();  ///< built with MPI
[[nodiscard]] const Transport& mpi_rma_transport();        ///< built with MPI
[[nodiscard]] const Transport& mpi_node_transport();       ///< built with MPI

// Between devices, and with the host.
[[nodiscard]] const Transport& peer_kernel_transport();
[[nodiscard]] const Transport& peer_copy_transport();
[[nodiscard]] const Transport& via_host_transport();
[[nodiscard]] const Transport& staged_transport();
[[nodiscard]] const Transport& mpi_device_transport();  ///< built with MPI
[[nodiscard]] const Transport& nccl_transport();        ///< built with NCCL or RCCL

}  // namespace shardfft
