// What was made before MPI_Finalize, and is used or destroyed after it.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "shardfft/shardfft.hpp"
#include "support/comm/put_off.hpp"
#include "support/ranks/mpi_world.hpp"
#include "transport/transport.hpp"

namespace shardfft::testing {
namespace {

std::optional<Plan> of_the_program;  // destroyed after main()

void expect_out_of_order(const char* call, const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << call << ": no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::invalid_argument) << call;
    EXPECT_NE(std::string(e.what()).find("call out of order"), std::string::npos) << call << ": " << e.what();
  }
}

// Before main(), which calls MPI_Init_thread.
const std::string before_init = [] {
  try {
    (void)mpi(MPI_COMM_WORLD);
    return std::string("no error");
  } catch (const Error& e) { return fmt::format("{}: {}", e.status() == Status::invalid_argument, e.what()); }
}();

TEST(BeforeMpiInit, ACallIsAnErrorThatSaysSo) {
  EXPECT_EQ(before_init.find("true: "), 0u) << before_init;
  EXPECT_NE(before_init.find("call out of order"), std::string::npos) << before_init;
  EXPECT_NE(before_init.find("MPI is not initialised yet; move the call"), std::string::npos) << before_init;
  EXPECT_NO_THROW((void)mpi(MPI_COMM_WORLD)) << "what was refused leaves nothing behind";
}

TEST(AnotherThread, ThanTheOneThatMpiServesIsTold) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED) GTEST_SKIP() << "this MPI serves all threads";
  const Comm comm = mpi(MPI_COMM_WORLD);
  Plan plan(comm, {.shape = {8, 6}});
  Array in = plan.make_input(), out = plan.make_output();
  std::thread([&] {
    expect_out_of_order("mpi", [] { (void)mpi(MPI_COMM_WORLD); });
    expect_out_of_order("Plan", [&] { Plan(comm, {.shape = {8, 6}}); });
    expect_out_of_order("forward", [&] { plan.forward(in, out); });
  }).join();
  plan.forward(in, out);
}

// Garbage collectors destroy plans on other threads.
TEST(AnotherThread, ThanTheOneThatMpiServesMayDestroyWhatThatOneEndsWithItsNextCall) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI serves all threads at any time";
  const Comm comm = mpi(MPI_COMM_WORLD);
  for (const Transport* t : transports()) {
    if (t->name() == "dry_run" || t->on_device() || !t->refuses(comm).empty() || !t->probe(comm).empty()) continue;
    SCOPED_TRACE(t->name());
    for (const bool in_flight : {false, true}) {
      struct Kept {
        Comm comm;
        Plan plan;
      };
      const Comm own = mpi(MPI_COMM_WORLD);
      auto kept = std::make_unique<Kept>(
          own, Plan(own, {.shape = {8, 6, 7}}, {.threads = 1, .expert = {.transport = std::string(t->name())}}));
      Array in = kept->plan.make_input(), out = kept->plan.make_output();
      comm.barrier();
      if (in_flight) kept->plan.start(Direction::forward, in, out);
      std::thread([&] { kept.reset(); }).join();
      EXPECT_EQ(how_many_are_put_off(), 1u);
      comm.barrier();
      EXPECT_EQ(how_many_are_put_off(), 0u);
    }
  }
}

TEST(AfterMpiFinalize, CollectiveCallsAreErrorsAndDestroyingIsSilent) {
  struct Kept {
    std::unique_ptr<Plan> plan;
    Array in, out;
  };
  std::vector<Kept> all;
  std::optional<Comm> kept;
  for (const int ranks_per_node : {2, 64}) {
    const Comm comm = world(ranks_per_node);
    kept = comm;
    for (const Transport* t : transports()) {
      if (t->name() == "dry_run" || t->on_device() || !t->refuses(comm).empty() || !t->probe(comm).empty()) continue;
      for (const bool in_flight : {false, true}) {
        auto plan = std::make_unique<Plan>(
            comm, Problem{.shape = {8, 6, 7}},
            Options{
                .input = slabs(0), .output = slabs(0), .threads = 1, .expert = {.transport = std::string(t->name())}});
        Array in = plan->make_input(), out = plan->make_output();
        plan->start(Direction::forward, in, out);
        if (!in_flight) plan->wait();
        all.push_back({std::move(plan), std::move(in), std::move(out)});
      }
    }
  }
  of_the_program.emplace(*kept, Problem{.shape = {8, 6, 7}}, Options{.expert = {.transport = "mpi_p2p"}});
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  std::thread([gone = std::move(all.back())] {}).join();
  all.pop_back();
  EXPECT_EQ(how_many_are_put_off(), level == MPI_THREAD_MULTIPLE ? 0u : 1u);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  EXPECT_FALSE(all.empty());
  for (Kept& k : all) {
    Plan& p = *k.plan;
    expect_out_of_order("forward", [&] { p.forward(k.in, k.out); });
    expect_out_of_order("start", [&] { p.start(Direction::backward, k.out, k.in); });
    expect_out_of_order("test", [&] { (void)p.test(); });
    expect_out_of_order("wait", [&] { p.wait(); });
    expect_out_of_order("verify", [&] { (void)p.verify(k.in, k.out); });
    expect_out_of_order("hash_input", [&] { (void)p.hash_input(k.in); });
    expect_out_of_order("hash_output", [&] { (void)p.hash_output(k.out); });
    expect_out_of_order("loss", [&] { (void)p.loss(); });
    expect_out_of_order("error_bound", [&] { (void)p.error_bound(); });
    expect_out_of_order("exact_samples", [&] { (void)p.exact_samples(k.in, {{0, 0, 0}}); });
    EXPECT_FALSE(p.describe().empty());
  }
  const Comm copy = *kept;
  EXPECT_GT(copy.size(), 0);
  expect_out_of_order("barrier", [&] { copy.barrier(); });
  expect_out_of_order("Plan", [&] { Plan(copy, {.shape = {8, 6}}); });
  expect_out_of_order("mpi", [] { (void)mpi(MPI_COMM_WORLD); });
  all.clear();
}

}  // namespace
}  // namespace shardfft::testing
