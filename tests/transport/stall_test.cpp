#include "support/comm/stall.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "late_sender.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/comm/comm_threads.hpp"
#include "support/ranks/process_ranks.hpp"
#include "support/thrown.hpp"
#include "support/variables.hpp"

namespace shardfft {
namespace {

using testing::thrown;
using testing::Variable;

constexpr const char* variable = "SHARDFFT_STALL_SECONDS";

const Transport& threads() { return *find_transport("threads"); }

void expect_once(const std::vector<std::string>& lines, const std::string& who, const std::string& whom) {
  EXPECT_EQ(std::ranges::count_if(
                lines, [&](const std::string& line) { return line.starts_with(who) && line.ends_with(whom); }),
            1)
      << who << " ... " << whom << " is not once in:\n"
      << fmt::format("{}", fmt::join(lines, "\n"));
}

/// Sleeps until so many notices were given.
void until_told(const Notices& notices, std::size_t count) {
  while (notices.lines().size() < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(Stalls, NameTheRankAndTheMessageThatItOwesAndEndNothing) {
  const Variable soon(variable, "0.1");
  const Notices notices;
  on_ranks(3, [&](Comm comm) {
    const auto channel = threads().open(comm, everyone_to_everyone(comm));
    exchange_once(comm, *channel, [&] {
      if (comm.rank() == 2) until_told(notices, 2);
    });
  });
  for (const int rank : {0, 1})
    expect_once(notices.lines(), fmt::format("shardfft: rank {} has waited 0.1 s over threads for rank 2", rank),
                "for rank 2 on node 0 (owes chunk 0 of exchange 0, 64 bytes); look at this rank: the run goes on when "
                "it does");
}

TEST(Stalls, NameARankThatHasNotBegunTheRun) {
  const Variable soon(variable, "0.1");
  const Notices notices;
  on_ranks(3, [&](Comm comm) {
    const auto channel = threads().open(comm, everyone_to_everyone(comm));
    std::vector<std::byte> heard(3);
    if (comm.rank() == 1) until_told(notices, 2);
    channel->handshake(comm, std::byte{1}, heard);
    EXPECT_EQ(heard, std::vector<std::byte>(3, std::byte{1}));
  });
  for (const int rank : {0, 2})
    expect_once(notices.lines(), fmt::format("shardfft: rank {} ", rank),
                "for rank 1 on node 0 (has not begun this run); look at this rank: the run goes on when it does");
}

TEST(Stalls, NameARankThatHasNotReadWhatItWasSent) {
  const Variable soon(variable, "0.1");
  const Notices notices;
  on_ranks(2, [&](Comm comm) {
    const auto channel = threads().open(comm, everyone_to_everyone(comm));
    channel->begin(0);
    channel->send(0, 0);
    channel->wait(0);
    if (comm.rank() == 1) until_told(notices, 1);
    channel->release(0);
    exchange_once(comm, *channel, [] {});
  });
  expect_once(notices.lines(), "shardfft: rank 0 ",
              "for rank 1 on node 0 (has not read what this rank sent before); look at this rank: the run goes on when "
              "it does");
}

TEST(Stalls, NameFourRanksAndCountTheOthers) {
  const Variable soon(variable, "0.1");
  const Notices notices;
  on_ranks(7, [&](Comm comm) {
    const auto channel = threads().open(comm, everyone_to_everyone(comm));
    exchange_once(comm, *channel, [&] {
      if (comm.rank() > 0) until_told(notices, 1);
    });
  });
  const std::string owes = "(owes chunk 0 of exchange 0, 64 bytes)";
  expect_once(notices.lines(), "shardfft: rank 0 ",
              fmt::format("for rank 1 on node 0 {0}, rank 2 on node 0 {0}, rank 3 on node 0 {0}, rank 4 on node 0 {0} "
                          "and 2 more; look at these ranks: the run goes on when they do",
                          owes));
}

TEST(Stalls, NameRanksOfAPartByTheirNumbersInTheWhole) {
  on_ranks(6, 2, [](Comm comm) {
    const Comm part = split(comm, comm.rank() % 2), node = split(comm, comm.node(comm.rank()));
    for (int rank = 0; rank < part.size(); ++rank) {
      EXPECT_EQ(name_of(part, rank).rank, 2 * rank + comm.rank() % 2);
      EXPECT_EQ(name_of(part, rank).node, rank);
    }
    EXPECT_EQ(name_of(node, 1).rank, 2 * comm.node(comm.rank()) + 1);
    EXPECT_EQ(name_of(node, 1).node, comm.node(comm.rank()));
    EXPECT_EQ(name_of(split(node, 0), 0).rank, 2 * comm.node(comm.rank()));
  });
}

TEST(Stalls, AreSilentWhereNobodyStallsOrNobodyWantsToHear) {
  for (const char* limit : {"60", "0"}) {
    const Variable wanted(variable, limit);
    const Notices notices;
    on_ranks(3, [&](Comm comm) {
      const auto channel = threads().open(comm, everyone_to_everyone(comm));
      for (int run = 0; run < 20; ++run)
        exchange_once(comm, *channel, [&] {
          if (comm.rank() == run) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        });
    });
    EXPECT_EQ(notices.lines(), std::vector<std::string>{}) << limit;
  }
}

TEST(Stalls, AreNamedAmongProcesses) {
  const Variable soon(variable, "0.1");
  const auto ends = on_processes(3, [](Comm comm) {
    const Notices notices([&] { dynamic_cast<ProcessComm&>(comm.impl()).board.present.fetch_add(1); });
    const auto channel = find_transport("shared_memory")->open(comm, everyone_to_everyone(comm));
    exchange_once(comm, *channel, [&] {
      auto& told = dynamic_cast<ProcessComm&>(comm.impl()).board.present;
      if (comm.rank() != 2) return;
      while (told.load() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    throw Error(Status::internal, fmt::format("{}", fmt::join(notices.lines(), "\n")));
  });
  for (const int rank : {0, 1})
    EXPECT_EQ(ends.at(static_cast<std::size_t>(rank)).said,
              fmt::format("internal: shardfft: rank {} has waited 0.1 s over shared_memory for rank 2 on node 0 (owes "
                          "chunk 0 of exchange 0, 64 bytes); look at this rank: the run goes on when it does",
                          rank));
}

TEST(Stalls, RefuseALimitThatIsNone) {
  for (const char* value : {"soon", "-1", "1e30", "nan", "60s"}) {
    const Variable wrong(variable, value);
    EXPECT_EQ(thrown([] { (void)stall_limit(); }),
              fmt::format("invalid_argument: SHARDFFT_STALL_SECONDS is a number of seconds, 0 to 1000000000; got '{}'; "
                          "unset it for 300, or set 0 to hear of no stall",
                          value));
  }
  const Variable empty(variable, "");
  EXPECT_EQ(stall_limit(), std::chrono::seconds(300));
}

}  // namespace
}  // namespace shardfft
