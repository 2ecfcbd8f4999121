// How plans end on ranks of MPI: in any order, in any state, on some ranks only. Nothing hangs, or the watchdog of
// mpi_main ends the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "shardfft/shardfft.hpp"
#include "support/ranks/mpi_world.hpp"
#include "transport/mpi/mpi_remains.hpp"
#include "transport/transport.hpp"

namespace shardfft::testing {
namespace {

const Problem cube{.shape = {12, 10, 14}};

struct Flight {
  Array in, out;  // a device may still be at work with them until the plan is gone
  Plan plan;

  Flight(const Comm& comm, const std::string& transport, const std::string& device = "")
      : plan(comm, cube,
             {.input = bricks(),
              .output = bricks(),
              .threads = 1,
              .device = device,
              .expert = {.transport = transport, .decomposition = "pencil"}}) {
    in = plan.make_input();
    out = plan.make_output();
    double value = 1 + comm.rank();
    std::vector<double> numbers(in.bytes() / sizeof(double));
    for (double& x : numbers) x = value = value * 0.75 + 0.1;
    plan.copy(View(std::span(numbers)), View(in.data(), in.bytes()));
  }
  void start() { plan.start(Direction::forward, in, out); }
  /// A faster rank may have given the run up before this one has begun it, which is then told.
  void start_what_others_give_up();
  [[nodiscard]] std::uint64_t hash() {
    plan.forward(in, out);
    return plan.hash_output(out);
  }
};

struct Way {
  std::string transport, device;
};

/// All that serve these ranks.
std::vector<Way> ways(const Comm& comm) {
  std::vector<Way> all;
  for (const Transport* t : transports()) {
    if (!t->refuses(comm).empty() || t->name() == "dry_run" || t->name() == "nccl" || !t->probe(comm).empty()) continue;
    if (!t->on_device())
      all.push_back({std::string(t->name()), ""});
    else if (device_count("emulated") > 0 && (t->name() == "via_host" || t->name() == "mpi_device"))
      all.push_back({std::string(t->name()), "emulated"});
  }
  return all;
}

/// What becomes of a run in which some rank does not take part to the end.
std::string outcome(const std::function<void()>& run) {
  try {
    run();
    return "";
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::transport_failed) << e.what();
    return e.what();
  }
}

void Flight::start_what_others_give_up() {
  (void)outcome([&] { start(); });
}

class MpiLife : public ::testing::TestWithParam<int> {
 protected:
  /// For every transport, on ranks that seem to have nodes of GetParam() ranks.
  template <class Work>
  void for_ways(Work work) {
    const Comm comm = world(GetParam());
    for (const Way& way : ways(comm)) {
      SCOPED_TRACE(fmt::format("{} {}", way.transport, way.device));
      const std::uint64_t right = Flight(comm, way.transport, way.device).hash();
      work(comm, way);
      EXPECT_EQ(Flight(comm, way.transport, way.device).hash(), right);
    }
  }
};

TEST_P(MpiLife, APlanMayBeDestroyedInFlightAndTheNextOneIsRight) {
  for_ways([](const Comm& comm, const Way& way) {
    std::mt19937 random(static_cast<unsigned>(comm.rank()) + 7);
    for (int i = 0; i < (way.transport == "mpi_rma" && !crowded(comm) ? 40 : 5); ++i) {
      Flight f(comm, way.transport, way.device);
      (void)outcome([&] {
        f.start();
        for (auto tests = random() % 4; tests > 0 && !f.plan.test();) --tests;
      });
    }
  });
}

TEST_P(MpiLife, AnExceptionBetweenStartAndWaitHangsNobody) {
  for_ways([](const Comm& comm, const Way& way) {
    for (int i = 0; i < 5; ++i)
      EXPECT_THROW(
          {
            Flight f(comm, way.transport, way.device);
            f.start_what_others_give_up();
            throw std::runtime_error("in flight");
          },
          std::runtime_error);
  });
}

TEST_P(MpiLife, PlansMayBeDestroyedInAnotherOrderOnEveryRank) {
  for_ways([](const Comm& comm, const Way& way) {
    for (const int state : {0, 1, 2}) {  // not started, in flight, done
      std::vector<std::unique_ptr<Flight>> flights;
      for (int i = 0; i < 3; ++i) flights.push_back(std::make_unique<Flight>(comm, way.transport, way.device));
      for (const auto& f : flights) {
        if (state == 1) f->start_what_others_give_up();
        if (state == 2) f->start(), f->plan.wait();
      }
      std::mt19937 random(static_cast<unsigned>(comm.rank() + 3 * state));
      std::shuffle(flights.begin(), flights.end(), random);
      for (auto& f : flights) f.reset();
    }
  });
}

// With barriers between: what a rank destroys may not need that another one does so, too.
TEST_P(MpiLife, DestroyingWaitsForNoOtherRank) {
  for_ways([](const Comm& comm, const Way& way) {
    std::optional<Flight> a, b;
    a.emplace(comm, way.transport, way.device);
    b.emplace(comm, way.transport, way.device);
    (void)a->hash();
    (comm.rank() % 2 ? a : b).reset();
    comm.barrier();
    (comm.rank() % 2 ? b : a).reset();
    comm.barrier();
  });
}

TEST_P(MpiLife, WhoWaitsForARankThatDestroyedItsPlanIsTold) {
  for_ways([](const Comm& comm, const Way& way) {
    if (comm.size() == 1) return;
    enum { before_the_run, in_the_first_round, between_two_rounds };
    for (const auto leaves : {before_the_run, in_the_first_round, between_two_rounds})
      for (const bool blocks : {false, true}) {
        std::optional<Flight> f;
        f.emplace(comm, way.transport, way.device);
        const bool started = leaves != before_the_run;
        if (started) f->start_what_others_give_up();
        if (leaves == between_two_rounds) comm.barrier();  // MPI brings all of the first round meanwhile
        if (comm.rank() == 0) f.reset();
        if (comm.rank() > 0) {
          const std::string said = outcome([&] {
            if (!started) f->start();
            if (blocks) f->plan.wait();
            while (!blocks && !f->plan.test()) std::this_thread::yield();
          });
          if (!started) { EXPECT_NE(said.find("given up"), std::string::npos) << said; }
          if (!said.empty()) { EXPECT_THROW(f->start(), Error); }
        }
        comm.barrier();  // a plan whose run failed holds nobody up, although it is still there
        f.reset();
      }
  });
}

TEST_P(MpiLife, OneRankMakesAPlanWhileAnotherOneDestroysOne) {
  for_ways([](const Comm& comm, const Way& way) {
    for (const bool in_flight : {false, true})
      for (int i = 0; i < 3; ++i) {
        std::optional<Flight> a, b;
        a.emplace(comm, way.transport, way.device);
        if (in_flight) a->start_what_others_give_up();
        const bool first = (comm.rank() + i) % 2 == 0;
        if (first) a.reset();
        b.emplace(comm, way.transport, way.device);
        if (!first) a.reset();
        (void)b->hash();
      }
  });
}

TEST_P(MpiLife, WhatPlansLeaveBehindDoesNotGrow) {
  for_ways([](const Comm& comm, const Way& way) {
    std::vector<std::size_t> left;
    for (int i = 0; i < (crowded(comm) ? 4 : 10); ++i) {
      Flight a(comm, way.transport, way.device);
      left.push_back(left_behind());  // of those before, which all ranks have given up
      if (i % 2 == 0) a.start_what_others_give_up();
    }
    for (const std::size_t n : left) EXPECT_LE(n, left.front() + 2);
  });
}

INSTANTIATE_TEST_SUITE_P(RanksPerNode, MpiLife, ::testing::Values(2, 64));

}  // namespace
}  // namespace shardfft::testing
