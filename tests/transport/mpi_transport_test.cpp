#include <gtest/gtest.h>

#include <cstdlib>

#include "shardfft/error.hpp"
#include "support/ranks/mpi_world.hpp"
#include "traffic_runs.hpp"
#include "transport/mixed.hpp"
#include "transport/mpi/mpi_p2p.hpp"

namespace shardfft {
namespace {

using testing::world;

/// Runs `work` for some seeds; where one rank fails, all do.
template <class Work>
void for_seeds(const Comm& comm, Work work) {
  const std::uint64_t seeds = testing::crowded(comm) ? 2 : comm.size() > 4 ? 3 : 5;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(fmt::format("ranks {} seed {}", comm.size(), seed));
    work(seed);
  }
}

/// The transports that can serve these ranks. One whose probe says no is left out, with a line.
std::vector<const Transport*> that_open(const Comm& comm) {
  std::vector<const Transport*> all;
  for (const Transport* transport : transports()) {
    if (!transport->refuses(comm).empty() || transport->name() == "dry_run" || transport->on_device()) continue;
    const std::string why = transport->probe(comm);
    if (why.empty())
      all.push_back(transport);
    else if (comm.rank() == 0)
      std::printf("left out: %s\n", why.c_str());
  }
  return all;
}

TEST(MpiTransports, BringEveryUnitToItsReaderWhateverTheTraffic) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const auto all = that_open(comm);
  for (const Transport* transport : all) {
    SCOPED_TRACE(transport->name());
    for_seeds(comm, [&](std::uint64_t seed) { bring_random_traffic(comm, *transport, seed, 4); });
  }
  EXPECT_GE(all.size(), 2u);  // wherever the ranks are: mpi_p2p and mpi_alltoallv
}

TEST(MpiTransports, OneSidedOnesOpenOrGiveTheSameErrorOnAllRanks) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const Transport& rma = *find_transport("mpi_rma");
  const std::string why = rma.probe(comm);
  require_same(comm, "the answer of the probe", why);
  std::string error;
  try {
    const auto channel = rma.open(comm, random_traffic(1, comm.size(), comm.rank()));
  } catch (const Error& e) {
    error = e.what();
    EXPECT_EQ(e.status(), Status::unsupported);
  }
  require_same(comm, "the error", error);
  EXPECT_EQ(error.empty(), why.empty()) << error << why;
  EXPECT_EQ(rma.fallback(), find_transport("mpi_p2p"));
}

TEST(MpiTransports, RunTwoChannelsAtOnceInAnyOrder) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  for (const Transport* transport : that_open(comm)) {
    SCOPED_TRACE(transport->name());
    for_seeds(comm, [&](std::uint64_t seed) { bring_two_at_once(comm, *transport, seed, 3); });
  }
}

TEST(MpiTransports, SayChunkByChunkWhatHasCome) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  for (const Transport* transport : that_open(comm))
    EXPECT_EQ(wrong_with_chunks(comm, *transport), "") << transport->name();
}

TEST(MpiTransports, BringLongMessagesInPieces) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const MpiP2p in_small_pieces(128);
  for_seeds(comm, [&](std::uint64_t seed) { bring_random_traffic(comm, in_small_pieces, seed, 3); });
}

// Messages of gigabytes between hosts end so. MPI tells in any order what has come (late_answers.cpp): pieces of a
// message that varies must not be taken for those of the one before it.
TEST(MpiTransports, BringMessagesOfMorePiecesThanThereAreTags) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const MpiP2p with_few_tags(128, 3);
  for_seeds(comm, [&](std::uint64_t seed) { bring_random_traffic(comm, with_few_tags, seed + 20, 3); });
}

TEST(MpiTransports, BringMessagesBetweenNodesHoweverTheyAreCut) {
  for (int ranks_per_node : {1, 2}) {
    const Comm comm = world(ranks_per_node);
    for_seeds(comm, [&](std::uint64_t seed) { bring_random_traffic(comm, *find_transport("mpi_p2p"), seed + 40, 3); });
  }
}

TEST(MpiTransports, BringEveryUnitOverSharedMemoryInsideNodesAndMessagesBetweenThem) {
  for (int ranks_per_node : {2, 3}) {
    const Comm comm = world(ranks_per_node);
    for (const Transport* transport : that_open(comm)) {
      if (transport->store_reach() != StoreReach::node) continue;  // there are none where there are too few ranks
      for_seeds(comm, [&](std::uint64_t seed) {
        bring_random_traffic(comm, *transport, seed, 4);
        bring_two_at_once(comm, *transport, seed, 2);
      });
    }
  }
}

TEST(MpiTransports, ShareMemoryOnlyInsideNodes) {
  const Comm comm = world(2);
  EXPECT_EQ(find_transport("shared_memory")->refuses(comm).empty(), comm.nodes() == 1);
  if (!find_transport("mixed")->refuses(comm).empty()) return;
  const auto channel = find_transport("mixed")->open(comm, random_traffic(1, comm.size(), comm.rank()));
  for (int peer = 0; peer < comm.size(); ++peer)
    EXPECT_EQ(channel->path_to(peer), comm.node(peer) == comm.node(comm.rank()) ? "shared_memory" : "mpi_p2p");
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
  } catch (const Error& e) { error = e.what(); }
  unsetenv("SHARDFFT_SHM_LIMIT");
  EXPECT_NE(error.find("/dev/shm"), std::string::npos) << error;
  require_same(comm, "error", error);
}

TEST(MpiTransports, SurviveAChannelThatIsNeverRunOrLeftInTheMiddle) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  for (const Transport* transport : that_open(comm)) {
    (void)transport->open(comm, random_traffic(2, comm.size(), comm.rank()));
    const Traffic traffic = two_chunks(comm);
    const auto channel = transport->open(comm, traffic);
    const PrivateMemory memory(*channel);
    channel->begin(0);  // receives are posted that nothing is sent to
    const double mine[] = {1};
    if (comm.rank() == 0) channel->start_sum(mine);  // the others never do
    if (channel->interleaves()) channel->send(0, 0);
    comm.barrier();
    const auto leave = transport->open(comm, Traffic{});
  }
}

}  // namespace
}  // namespace shardfft
