#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>

#include "random_traffic.hpp"
#include "shardfft/error.hpp"
#include "shardfft/mpi.hpp"
#include "transport/mixed.hpp"
#include "transport/mpi_p2p.hpp"

namespace shardfft {
namespace {

/// MPI_COMM_WORLD, as if every `ranks_per_node` ranks had a node of their own.
Comm world(int ranks_per_node) {
  setenv("SHARDFFT_RANKS_PER_NODE", std::to_string(ranks_per_node).c_str(), 1);
  Comm comm = mpi(MPI_COMM_WORLD);
  unsetenv("SHARDFFT_RANKS_PER_NODE");
  return comm;
}

/// Runs `work` for some seeds; where one rank fails, all do.
template <class Work>
void for_seeds(const Comm& comm, Work work) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(fmt::format("ranks {} seed {}", comm.size(), seed));
    work(seed);
  }
}

TEST(MpiTransports, BringEveryUnitToItsReaderWhateverTheTraffic) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  int tried = 0;
  for (const Transport* transport : transports()) {
    if (!transport->refuses(comm).empty() || transport->name() == "dry_run") continue;
    SCOPED_TRACE(transport->name());
    for_seeds(comm, [&](std::uint64_t seed) { bring_random_traffic(comm, *transport, seed, 4); });
    ++tried;
  }
  EXPECT_GE(tried, 2);  // wherever the ranks are: mpi_p2p and mpi_alltoallv
}

TEST(MpiTransports, BringLongMessagesInPieces) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const MpiP2p in_small_pieces(128);
  for_seeds(comm, [&](std::uint64_t seed) { bring_random_traffic(comm, in_small_pieces, seed, 3); });
}

TEST(MpiTransports, BringEveryUnitOverSharedMemoryInsideNodesAndMessagesBetweenThem) {
  for (int ranks_per_node : {2, 3}) {
    const Comm comm = world(ranks_per_node);
    const Transport& mixed = *find_transport("mixed");
    if (!mixed.refuses(comm).empty()) continue;  // too few ranks
    for_seeds(comm, [&](std::uint64_t seed) { bring_random_traffic(comm, mixed, seed, 4); });
  }
}

TEST(MpiTransports, ShareMemoryOnlyInsideNodes) {
  const Comm comm = world(2);
  EXPECT_EQ(find_transport("shared_memory")->refuses(comm).empty(), comm.nodes() == 1);
  if (!find_transport("mixed")->refuses(comm).empty()) return;
  const auto channel = find_transport("mixed")->open(comm, random_traffic(1, comm.size(), comm.rank()));
  for (int peer = 0; peer < comm.size(); ++peer) EXPECT_EQ(channel->path_to(peer), comm.node(peer) == comm.node(comm.rank()) ? "shared_memory" : "mpi_p2p");
}

TEST(MpiTransports, RunSeveralChannelsOfOneGroupAtOnce) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  for (const char* name : {"mpi_p2p", "mpi_alltoallv"}) {
    const Traffic a = random_traffic(5, comm.size(), comm.rank()), b = random_traffic(6, comm.size(), comm.rank());
    const auto channel_a = find_transport(name)->open(comm, a), channel_b = find_transport(name)->open(comm, b);
    const PrivateMemory memory_a(*channel_a), memory_b(*channel_b);
    TrafficProgram program_a(comm, a, *channel_a, 5), program_b(comm, b, *channel_b, 6);
    for (int i = 0; i < 3; ++i) {
      program_a.run(1);
      program_b.run(1);
    }
  }
}

TEST(MpiTransports, GiveTheSameErrorOnAllRanksWhenOneFindsNoRoom) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const Transport& shared_memory = *find_transport("shared_memory");
  if (!shared_memory.refuses(comm).empty()) GTEST_SKIP() << "the ranks are on several nodes";
  if (comm.rank() == comm.size() - 1) setenv("SHARDFFT_SHM_LIMIT", "100", 1);
  std::string error;
  try {
    (void)shared_memory.open(comm, random_traffic(1, comm.size(), comm.rank()));
  } catch (const Error& e) {
    error = e.what();
  }
  unsetenv("SHARDFFT_SHM_LIMIT");
  EXPECT_NE(error.find("/dev/shm"), std::string::npos) << error;
  require_same(comm, "error", error);
}

TEST(MpiTransports, SurviveAChannelThatIsNeverRunOrLeftInTheMiddle) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  for (const Transport* transport : transports()) {
    if (!transport->refuses(comm).empty()) continue;
    const auto channel = transport->open(comm, random_traffic(2, comm.size(), comm.rank()));
    if (transport->name() != "mpi_p2p") continue;
    const PrivateMemory memory(*channel);
    channel->begin(0);  // receives are posted that nothing is sent to
    comm.barrier();
    const auto leave = transport->open(comm, Traffic{});
  }
}

}  // namespace
}  // namespace shardfft
