#include <gtest/gtest.h>
#include <mpi.h>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/ranks/mpi_world.hpp"

namespace shardfft {
namespace {

TEST(MpiComm, HasTheRanksOfTheCommunicator) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  int rank = -1, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(comm.rank(), rank);
  EXPECT_EQ(comm.size(), size);
  EXPECT_EQ(comm.kind(), "mpi");
  EXPECT_EQ(comm.node(0), 0);
}

TEST(MpiComm, GathersAndBroadcastsInRankOrder) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const auto all = all_values(comm, 10 + comm.rank());
  for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], 10 + r);
  for (int root = 0; root < comm.size(); ++root) {
    int value = comm.rank();
    comm.broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
    EXPECT_EQ(value, root);
  }
}

TEST(MpiComm, CountsNodesInRankOrder) {
  const Comm comm = testing::world(2);
  EXPECT_EQ(comm.nodes(), (comm.size() + 1) / 2);
  for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(comm.node(r), r / 2);
  const Comm neighbours = split(comm, comm.node(comm.rank()));
  EXPECT_EQ(neighbours.nodes(), 1);
  EXPECT_EQ(neighbours.rank(), comm.rank() % 2);
}

TEST(MpiComm, RefusesWhatIsNoGroup) { EXPECT_THROW((void)mpi(MPI_COMM_NULL), Error); }

TEST(MpiComm, GivesTheErrorOfOneRankToAll) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  std::string error;
  try {
    collectively(comm, [&] {
      if (comm.rank() == comm.size() - 1) throw Error(Status::io_failed, "no such file");
    });
  } catch (const Error& e) { error = e.what(); }
  EXPECT_EQ(error, comm.size() > 1 ? "rank " + std::to_string(comm.size() - 1) + ": no such file" : "no such file");
}

TEST(MpiComm, LeavesNoMessagesInTheCallersCommunicator) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  for (int i = 0; i < 20; ++i) comm.barrier();
  comm.impl().check_peers();
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
}

}  // namespace
}  // namespace shardfft
