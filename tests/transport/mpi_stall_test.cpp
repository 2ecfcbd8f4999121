#include <gtest/gtest.h>

#include "late_sender.hpp"
#include "support/ranks/mpi_world.hpp"

namespace shardfft {
namespace {

using testing::Variable;
using testing::world;

/// The last rank sends once all others have said that they wait for it. What this rank said, of which each line tells
/// the last one outside the library.
std::vector<std::string> said_of_the_last(const Comm& comm, const Transport& transport) {
  const Variable soon("SHARDFFT_STALL_SECONDS", "0.1");
  const int last = comm.size() - 1;
  bool told = comm.rank() == last;
  const Notices notices([&] {
    if (!std::exchange(told, true)) MPI_Send(nullptr, 0, MPI_BYTE, last, 0, MPI_COMM_WORLD);
  });
  const auto channel = transport.open(comm, everyone_to_everyone(comm));
  const PrivateMemory memory(*channel);
  exchange_once(comm, *channel, [&] {
    for (int others = 0; comm.rank() == last && others < last; ++others)
      MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  return notices.lines();
}

std::string first_of(const std::vector<std::string>& lines) { return lines.empty() ? "nothing" : lines.front(); }

TEST(MpiStalls, NameTheRankAndTheMessageThatItOwesAndEndNothing) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const int last = comm.size() - 1;
  for (const char* name : {"mpi_p2p", "mpi_rma", "shared_memory"}) {
    const Transport& transport = *find_transport(name);
    if (last == 0 || !transport.refuses(comm).empty() || !transport.probe(comm).empty()) continue;
    const auto lines = said_of_the_last(comm, transport);
    if (comm.rank() == last) continue;
    EXPECT_EQ(first_of(lines),
              fmt::format("shardfft: rank {} has waited 0.1 s over {} for rank {} on node {} (owes chunk 0 of exchange "
                          "0, 64 bytes); look at this rank: the run goes on when it does",
                          comm.rank(), name, last, comm.node(last)));
  }
}

TEST(MpiStalls, NameRanksOfSeveralNodes) {
  const Comm comm = world(2);
  const int last = comm.size() - 1;
  for (const char* name : {"mixed", "mixed_rma"}) {
    const Transport& transport = *find_transport(name);
    if (!transport.refuses(comm).empty() || !transport.probe(comm).empty()) continue;
    const auto lines = said_of_the_last(comm, transport);
    if (comm.rank() == last) continue;
    EXPECT_NE(first_of(lines).find(fmt::format("for rank {} on node {} (owes chunk 0 of exchange 0, 64 bytes); look ",
                                               last, comm.node(last))),
              std::string::npos)
        << name << " rank " << comm.rank() << ": " << first_of(lines);
  }
}

// Two nodes of two ranks: rank 1 carries what node 0 receives, rank 2 what node 1 sends.
TEST(MpiStalls, NameNodesWhoseMessagesTravelAsOne) {
  const Comm comm = world(2);
  if (comm.size() != 4) GTEST_SKIP() << "is for four ranks";
  const int last = 3;
  const auto lines = said_of_the_last(comm, *find_transport("mpi_node"));
  const std::string expected[] = {"over mpi_node for rank 1 on node 0 (brings chunk 0 of exchange 0 from node 1);",
                                  "over mpi_node for rank 2 on node 1 (owes chunk 0 of exchange 0, 256 bytes);",
                                  "over shared_memory for rank 3 on node 1 (owes chunk 0 of exchange 0, 64 bytes);"};
  if (comm.rank() == last) return;
  EXPECT_NE(first_of(lines).find(expected[comm.rank()]), std::string::npos)
      << "rank " << comm.rank() << ": " << first_of(lines);
}

TEST(MpiStalls, SayAtTheStartOfARunThatARankIsMissing) {
  const Comm comm = mpi(MPI_COMM_WORLD);
  const int last = comm.size() - 1;
  if (last == 0) GTEST_SKIP() << "is for several ranks";
  const Variable soon("SHARDFFT_STALL_SECONDS", "0.1");
  const Notices notices([&] {
    if (comm.rank() != last) MPI_Send(nullptr, 0, MPI_BYTE, last, 0, MPI_COMM_WORLD);
  });
  for (const char* name : {"mpi_p2p", "mpi_alltoallv"}) {
    const auto channel = find_transport(name)->open(comm, everyone_to_everyone(comm));
    for (int others = 0; comm.rank() == last && others < last; ++others)
      MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::vector<std::byte> heard(static_cast<std::size_t>(comm.size()));
    channel->handshake(comm, std::byte{1}, heard);
    if (comm.rank() == last) continue;
    EXPECT_EQ(notices.lines().back(),
              fmt::format("shardfft: rank {} has waited 0.1 s over {} for ranks that have not begun this run; every "
                          "rank that has begun says this: look at those that do not",
                          comm.rank(), name));
  }
}

TEST(MpiStalls, AreSilentWhereNobodyStalls) {
  for (int ranks_per_node : {1, 2, 8}) {
    const Comm comm = world(ranks_per_node);
    const Notices notices;
    for (const Transport* transport : transports()) {
      if (!transport->refuses(comm).empty() || transport->on_device() || transport->name() == "dry_run") continue;
      if (!transport->probe(comm).empty()) continue;
      const auto channel = transport->open(comm, everyone_to_everyone(comm));
      const PrivateMemory memory(*channel);
      for (int run = 0; run < 3; ++run) exchange_once(comm, *channel, [] {});
    }
    EXPECT_EQ(notices.lines(), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace shardfft
