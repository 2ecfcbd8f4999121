// Several plans with many exchanges under way at once, every rank looking after them in an order of its own.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "shardfft/shardfft.hpp"

namespace shardfft::testing {

/// Each run must give the bits of a run by itself. Hangs (and is ended by the test's time limit) when a rank waits
/// inside one plan for ranks that wait inside another.
inline void run_interleaved(const Comm& comm, const Options& options, int plans, int runs) {
  struct Flight {
    Plan plan;
    Array in, out;
    std::uint64_t expected;
    bool under_way = false;
  };
  std::vector<Flight> flights;
  for (int i = 0; i < plans; ++i) {
    Plan plan(comm, {.shape = {10 + i, 9, 12}}, options);
    Array in = plan.make_input(), out = plan.make_output();
    double value = comm.rank() + i;
    for (double& x : in.as<double>()) x = value = value * 0.75 + 0.1;
    plan.forward(in, out);
    const std::uint64_t expected = plan.hash_output(out);
    flights.push_back({std::move(plan), std::move(in), std::move(out), expected});
  }
  std::mt19937 random(static_cast<unsigned>(comm.rank()) + 17);
  for (int run = 0; run < runs; ++run) {
    for (Flight& f : flights) {
      f.plan.start(Direction::forward, f.in, f.out);
      f.under_way = true;
    }
    for (int left = plans; left > 0;) {
      Flight& f = flights[random() % flights.size()];
      if (!f.under_way || !f.plan.test()) continue;
      f.under_way = false;
      --left;
    }
    for (Flight& f : flights) EXPECT_EQ(f.plan.hash_output(f.out), f.expected);
  }
}

}  // namespace shardfft::testing
