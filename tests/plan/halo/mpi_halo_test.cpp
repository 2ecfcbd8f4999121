// Halos between processes: over every transport what each cell must hold.
#include <gtest/gtest.h>

#include "plan/halo/halo_problem.hpp"
#include "support/ranks/mpi_world.hpp"
#include "transport/transport.hpp"

namespace shardfft::testing {
namespace {

class MpiHalos : public ::testing::TestWithParam<std::string> {};

TEST_P(MpiHalos, FillAndAddEveryCell) {
  const Comm comm = world(GetParam() == "shared_memory"                                   ? 1000
                          : find_transport(GetParam())->store_reach() == StoreReach::node ? 2
                                                                                          : 1);
  if (!find_transport(GetParam())->refuses(comm).empty()) return;  // a single rank, or a single node
  for (std::uint64_t seed = 1; seed <= (crowded(comm) ? 8u : 40u) && !HasFailure(); ++seed) {
    HaloProblem p = random_halo(20260903 + seed, comm.size());
    p.transport = GetParam();
    SCOPED_TRACE(to_string(p));
    expect_exchanged(comm, p);
    seed % 2 == 0 ? expect_accumulated<double>(comm, p) : expect_accumulated<std::complex<float>>(comm, p);
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, MpiHalos,
                         ::testing::Values("shared_memory", "mpi_p2p", "mpi_alltoallv", "mpi_rma", "mixed", "mpi_node"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace shardfft::testing
