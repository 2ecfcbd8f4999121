// Transports of plans that are looked at and never run.
#pragma once

#include "transport/transport.hpp"

namespace shardfft {

/// Has the name, the rules and about the memory of `real`, for ranks of which only one exists, and moves nothing: what
/// a plan would be with it. Memory of those by MPI is counted as that of mpi_p2p.
[[nodiscard]] const Transport& dry_run_of(const Transport& real);
/// Whether it is one of those that move nothing.
[[nodiscard]] bool looks_only(const Transport& transport);

}  // namespace shardfft
