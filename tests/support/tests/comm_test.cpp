#include "shardfft/comm.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "shardfft/error.hpp"
#include "shardfft/programs/watched_ranks.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_impl.hpp"
#include "support/comm/comm_threads.hpp"

namespace shardfft {
namespace {

TEST(OnRanks, RunsTheBodyOnceForEveryRank) {
  for (int ranks : {1, 2, 5, 12}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(ranks));
    on_ranks(ranks, [&](Comm comm) {
      EXPECT_EQ(comm.size(), ranks);
      EXPECT_EQ(comm.kind(), "threads");
      ++calls[static_cast<std::size_t>(comm.rank())];
    });
    for (const auto& n : calls) EXPECT_EQ(n, 1);
  }
}

TEST(OnRanks, ThrowsWhatTheLowestFailingRankThrewAndReleasesTheOthers) {
  std::atomic<int> released = 0;
  try {
    on_ranks(6, [&](Comm comm) {
      if (comm.rank() == 3) throw std::runtime_error("three");
      try {
        for (;;) comm.barrier();
      } catch (const Error& e) {
        EXPECT_EQ(e.status(), Status::transport_failed);
        EXPECT_STREQ(e.what(), "rank 3 failed: three");
        ++released;
        throw;
      }
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) { EXPECT_STREQ(e.what(), "three"); }
  EXPECT_EQ(released, 5);
}

TEST(OnRanks, ReleasesGroupsThatWereSplitOff) {
  EXPECT_THROW(on_ranks(4,
                        [](Comm comm) {
                          const Comm part = split(comm, comm.rank() / 2);
                          if (comm.rank() == 0) throw std::invalid_argument("zero");
                          for (;;) part.barrier();
                        }),
               std::invalid_argument);
}

TEST(OnRanks, SaysThatARankHasReturnedForWhichOthersWait) {
  for (int calls = 0; calls < 3; ++calls)
    for (int gone = 0; gone < 3; ++gone) try {
        on_ranks(3, [&](const Comm& comm) {
          for (int call = 0; call < calls; ++call) comm.barrier();
          if (comm.rank() != gone) comm.barrier();
        });
        ADD_FAILURE() << "rank " << gone << " returned after " << calls << " calls";
      } catch (const Error& e) {
        EXPECT_EQ(e.status(), Status::mismatch);
        EXPECT_NE(std::string_view(e.what()).find("a rank has returned"), std::string_view::npos);
      }
}

TEST(OnRanks, SaysInGroupsThatWereSplitOffThatARankHasReturned) {
  EXPECT_THROW(on_ranks(4,
                        [](Comm comm) {
                          const Comm part = split(comm, comm.rank() % 2);
                          if (comm.rank() != 3) part.barrier();
                        }),
               Error);
}

TEST(OnRanks, ReleasesRanksThatWaitWhenTheCallerIsInterrupted) {
  std::atomic<int> waiting = 0;
  try {
    on_watched_ranks(
        3,
        [&](Comm comm) {
          if (comm.rank() == 0)
            while (waiting < 2) std::this_thread::yield();
          ++waiting;
          if (comm.rank() != 0) comm.barrier();
          while (true) comm.impl().check_peers();
        },
        [&] { return waiting == 3; });
    FAIL();
  } catch (const Error& e) { EXPECT_EQ(e.status(), Status::transport_failed); }
}

TEST(OnRanks, NeedsARank) {
  EXPECT_THROW(on_ranks(0, [](const Comm&) {}), Error);
}

TEST(ThreadsComm, GathersAndBroadcastsInRankOrder) {
  for (int ranks : {1, 3, 8})
    on_ranks(ranks, [&](Comm comm) {
      for (int round = 0; round < 50; ++round) {
        const auto all = all_values(comm, 100 * round + comm.rank());
        for (int r = 0; r < ranks; ++r) ASSERT_EQ(all[static_cast<std::size_t>(r)], 100 * round + r);
        int value = comm.rank();
        comm.broadcast(std::as_writable_bytes(std::span(&value, 1)), round % ranks);
        ASSERT_EQ(value, round % ranks);
      }
    });
}

TEST(ThreadsComm, SplitsByColour) {
  on_ranks(7, 2, [](Comm comm) {
    const Comm part = split(comm, comm.rank() % 3);
    EXPECT_EQ(part.rank(), comm.rank() / 3);
    EXPECT_EQ(part.size(), comm.rank() % 3 == 0 ? 3 : 2);
    EXPECT_EQ(part.nodes(), part.size());  // nodes are {0 1} {2 3} {4 5} {6}
    const auto members = all_values(part, comm.rank());
    for (std::size_t i = 0; i < members.size(); ++i) EXPECT_EQ(members[i], comm.rank() % 3 + 3 * static_cast<int>(i));
  });
}

TEST(ThreadsComm, EmulatesNodes) {
  on_ranks(5, 2, [](Comm comm) {
    EXPECT_EQ(comm.nodes(), 3);
    EXPECT_EQ(comm.node(3), 1);
    EXPECT_EQ(comm.node(4), 2);
    EXPECT_THROW((void)comm.node(5), Error);
  });
}

TEST(LocalComm, IsAGroupOfOne) {
  const Comm comm = local();
  EXPECT_EQ(comm.size(), 1);
  EXPECT_EQ(comm.nodes(), 1);
  EXPECT_EQ(comm.kind(), "local");
  EXPECT_EQ(all_values(comm, 7), std::vector<std::int64_t>{7});
  EXPECT_EQ(split(comm, 3).size(), 1);
}

TEST(DryRunComm, AnswersAsIfAllRanksHadSaidTheSame) {
  const Comm comm = dry_run(6, 4, 2);
  EXPECT_EQ(comm.rank(), 4);
  EXPECT_EQ(comm.size(), 6);
  EXPECT_EQ(comm.nodes(), 3);
  EXPECT_EQ(comm.node(4), 2);
  EXPECT_EQ(all_values(comm, 5), std::vector<std::int64_t>(6, 5));
  EXPECT_EQ(all_sum(comm, std::int64_t{2}), 12);
  EXPECT_THROW((void)dry_run(4, 4), Error);
}

TEST(Comm, RefusesRanksAndLengthsThatDoNotFit) {
  const Comm comm = local();
  std::byte a[2]{}, b[3]{};
  EXPECT_THROW(comm.broadcast(a, 1), Error);
  EXPECT_THROW(comm.allgather(a, b), Error);
}

}  // namespace
}  // namespace shardfft
