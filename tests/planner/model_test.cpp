// Costs grow and shrink where they must.
#include "planner/model.hpp"

#include <gtest/gtest.h>

#include "planner/planning.hpp"

namespace shardfft::testing {
namespace {

const Shape shape{64, 64, 64};

double exchange_seconds(int ranks, int ranks_per_node, const LayoutSpec& from, const LayoutSpec& to, const Machine& machine = {}) {
  const Comm comm = dry_run(ranks, 0, ranks_per_node);
  return Model{.machine = machine, .comm = &comm, .threads = 1}.exchange(Layout(from, shape, ranks), Layout(to, shape, ranks), 16);
}

TEST(Model, ExchangesCostNoMoreWhereMoreRanksShareANode) {
  for (const int ranks : {8, 24, 64})
    for (const auto& [from, to] : {std::pair{slabs(0), slabs(1)}, {pencils(2), pencils(1)}, {bricks(), slabs(0)}, {slabs(0), bricks()}}) {
      double before = exchange_seconds(ranks, 1, from, to);
      for (int per_node = 2; per_node <= ranks; per_node *= 2) {
        const double now = exchange_seconds(ranks, per_node, from, to);
        EXPECT_LE(now, before) << to_string(from) << " -> " << to_string(to) << ", " << per_node << " of " << ranks << " per node";
        before = now;
      }
      EXPECT_LT(exchange_seconds(ranks, ranks, from, to), exchange_seconds(ranks, 1, from, to));
    }
}

TEST(Model, ExchangesCostNoMoreOnAFasterNetwork) {
  Machine slow, fast;
  fast.network_bytes_per_s = 10 * slow.network_bytes_per_s;
  EXPECT_LT(exchange_seconds(8, 1, slabs(0), slabs(1), fast), exchange_seconds(8, 1, slabs(0), slabs(1), slow));
  fast = slow;
  fast.message_s = slow.message_s / 10;
  EXPECT_LT(exchange_seconds(8, 1, slabs(0), slabs(1), fast), exchange_seconds(8, 1, slabs(0), slabs(1), slow));
}

TEST(Model, WhatARankKeepsDoesNotTravel) {
  Machine m;
  m.message_s = m.near_message_s = m.epoch_s = 0;
  const double bytes = 64.0 * 64 * 64 / 8 * 16;
  EXPECT_DOUBLE_EQ(exchange_seconds(8, 1, slabs(0), slabs(1), m), bytes * 7 / 8 / m.network_bytes_per_s);
  EXPECT_DOUBLE_EQ(exchange_seconds(8, 4, slabs(0), slabs(1), m), bytes * 7 / 8 * (4.0 / 7) / m.network_bytes_per_s)
      << "4 of the 7 peers are far";
  EXPECT_DOUBLE_EQ(exchange_seconds(8, 8, slabs(0), slabs(1), m), 0) << "inside a node the sweep stores the bytes itself";
}

TEST(Model, PassesTakeTheLongerOfMovingAndComputingSharedByTheThreads) {
  const Machine m;
  const Model one{.machine = m, .threads = 1}, four{.machine = m, .threads = 4};
  EXPECT_DOUBLE_EQ(one.pass(1e6, 16, 0), 2e6 * 16 / m.memory_bytes_per_s);
  EXPECT_DOUBLE_EQ(one.pass(1e6, 16, 1e12), 1e12 / m.arithmetic_flops);
  EXPECT_DOUBLE_EQ(four.pass(1e6, 16, 1e12) * 4, one.pass(1e6, 16, 1e12));
}

TEST(Model, CountsFiveNLogNOperationsAndHalfForRealAxes) {
  EXPECT_DOUBLE_EQ(axis_flops({0, 1024, Transform1d::forward}, 4096), 5.0 * 10 * 4096);
  EXPECT_DOUBLE_EQ(axis_flops({0, 1024, Transform1d::c2r}, 4096), 2.5 * 10 * 4096);
}

TEST(Model, TheLargestPartOfBlocksIsThatOfTheFirstRank) {
  std::mt19937_64 random(91);
  for (int i = 0; i < 60; ++i) {
    const int ranks = static_cast<int>(pick(random, 1, 9));
    const Shape s = small_shape(random, 3, 9);
    for (const LayoutSpec& spec : layouts_of_every_kind(random, s, ranks)) {
      if (spec.kind == LayoutSpec::Kind::boxes) continue;
      const Layout layout(spec, s, ranks);
      Index most = 0;
      for (int rank = 0; rank < ranks; ++rank) most = std::max(most, layout.count(rank));
      EXPECT_EQ(largest_part(layout), static_cast<double>(most)) << to_string(spec);
    }
  }
}

}  // namespace
}  // namespace shardfft::testing
