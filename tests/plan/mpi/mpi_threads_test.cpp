// Two threads of every rank, each with a communicator and plans of its own.
#include <gtest/gtest.h>

#include <array>
#include <exception>
#include <string>
#include <thread>

#include "shardfft/shardfft.hpp"
#include "support/ranks/mpi_world.hpp"
#include "transport/transport.hpp"

namespace shardfft::testing {
namespace {

bool threads_may_call() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

std::uint64_t hash_of_run(const Comm& comm, const std::string& transport, int thread, bool in_parts) {
  Plan plan(comm, {.shape = {10 + thread, 9, 12}},
            {.input = bricks(),
             .output = bricks(),
             .threads = 1,
             .expert = {.transport = transport, .decomposition = "pencil"}});
  Array in = plan.make_input(), out = plan.make_output();
  double value = comm.rank() + thread;
  for (double& x : in.as<double>()) x = value = value * 0.75 + 0.1;
  for (int i = 0; i < 4; ++i) {
    plan.start(Direction::forward, in, out);
    while (in_parts && !plan.test()) std::this_thread::yield();
    plan.wait();
  }
  return plan.hash_output(out);
}

class MpiThreads : public ::testing::TestWithParam<std::string> {};

TEST_P(MpiThreads, MakeRunAndDestroyPlansOfTheirOwnAtTheSameTime) {
  if (!threads_may_call()) GTEST_SKIP() << "this MPI does not provide MPI_THREAD_MULTIPLE";
  const Variable nodes("SHARDFFT_RANKS_PER_NODE",
                       find_transport(GetParam())->store_reach() == StoreReach::node ? "2" : "64");
  const std::array<Comm, 2> comms{mpi(MPI_COMM_WORLD), mpi(MPI_COMM_WORLD)};
  if (!find_transport(GetParam())->refuses(comms[0]).empty()) return;
  std::array<std::uint64_t, 2> right{};
  for (int t = 0; t < 2; ++t)
    right[static_cast<std::size_t>(t)] = hash_of_run(comms[static_cast<std::size_t>(t)], GetParam(), t, false);
  std::array<std::thread, 2> threads;
  for (int t = 0; t < 2; ++t)
    threads[static_cast<std::size_t>(t)] = std::thread([&, t, i = static_cast<std::size_t>(t)] {
      try {
        for (int plans = 0; plans < (crowded(comms[i]) ? 3 : 12); ++plans)
          EXPECT_EQ(hash_of_run(comms[i], GetParam(), t, plans % 2 == 1), right[i]);
      } catch (const std::exception& e) { ADD_FAILURE() << e.what(); }
    });
  for (std::thread& thread : threads) thread.join();
}

// One thread makes it, another one runs it, and the first has plans under way meanwhile.
TEST_P(MpiThreads, MayPassPlansToEachOther) {
  if (!threads_may_call()) GTEST_SKIP() << "this MPI does not provide MPI_THREAD_MULTIPLE";
  const Variable nodes("SHARDFFT_RANKS_PER_NODE",
                       find_transport(GetParam())->store_reach() == StoreReach::node ? "2" : "64");
  const Comm comm = mpi(MPI_COMM_WORLD), other = mpi(MPI_COMM_WORLD);
  if (!find_transport(GetParam())->refuses(comm).empty()) return;
  const std::uint64_t right = hash_of_run(comm, GetParam(), 0, false);
  Plan given(other, {.shape = {10, 9, 12}},
             {.input = bricks(),
              .output = bricks(),
              .threads = 1,
              .expert = {.transport = GetParam(), .decomposition = "pencil"}});
  Array in = given.make_input(), out = given.make_output();
  double value = comm.rank();
  for (double& x : in.as<double>()) x = value = value * 0.75 + 0.1;
  std::thread second([&] {
    for (int i = 0; i < 10; ++i) {
      given.forward(in, out);
      EXPECT_EQ(given.hash_output(out), right);
    }
    const Plan gone = std::move(given);
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(hash_of_run(comm, GetParam(), 0, true), right);
  second.join();
}

INSTANTIATE_TEST_SUITE_P(Transports, MpiThreads,
                         ::testing::Values("shared_memory", "mixed", "mpi_node", "mpi_p2p", "mpi_alltoallv", "mpi_rma",
                                           "mixed_rma"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace shardfft::testing
