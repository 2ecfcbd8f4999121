// Without MPI.
#include "mpi_traffic.hpp"

namespace shardfft::peers {

Traffic traffic_so_far() { return {}; }

}  // namespace shardfft::peers
