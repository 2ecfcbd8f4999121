// Costs grow and shrink where they must.
#include "planner/model/model.hpp"

#include <gtest/gtest.h>

#include "planner/planning.hpp"

namespace shardfft::testing {
namespace {

const Shape shape{64, 64, 64};

double exchange_seconds(int ranks, int ranks_per_node, const LayoutSpec& from, const LayoutSpec& to,
                        const Machine& machine = {}) {
  const Comm comm = dry_run(ranks, 0, ranks_per_node);
  return Model{.machine = machine, .comm = &comm, .sharers = ranks_per_node}.exchange(Layout(from, shape, ranks),
                                                                                      Layout(to, shape, ranks), 16);
}

TEST(Model, ExchangesCostNoMoreWhereMoreRanksShareANode) {
  for (const int ranks : {8, 24, 64})
    for (const auto& [from, to] :
         {std::pair{slabs(0), slabs(1)}, {pencils(2), pencils(1)}, {bricks(), slabs(0)}, {slabs(0), bricks()}}) {
      double before = exchange_seconds(ranks, 1, from, to);
      for (int per_node = 2; per_node <= ranks; per_node *= 2) {
        const double now = exchange_seconds(ranks, per_node, from, to);
        EXPECT_LE(now, before) << to_string(from) << " -> " << to_string(to) << ", " << per_node << " of " << ranks
                               << " per node";
        before = now;
      }
      EXPECT_LT(exchange_seconds(ranks, ranks, from, to), exchange_seconds(ranks, 1, from, to));
    }
}

TEST(Model, ExchangesCostNoMoreOnAFasterNetwork) {
  Machine slow, fast;
  fast.mpi_far.bytes_per_s = 10 * slow.mpi_far.bytes_per_s;
  EXPECT_LT(exchange_seconds(8, 1, slabs(0), slabs(1), fast), exchange_seconds(8, 1, slabs(0), slabs(1), slow));
  fast = slow;
  fast.mpi_far.message_s = slow.mpi_far.message_s / 10;
  EXPECT_LT(exchange_seconds(8, 1, slabs(0), slabs(1), fast), exchange_seconds(8, 1, slabs(0), slabs(1), slow));
}

TEST(Model, WhatARankKeepsDoesNotTravel) {
  Machine m;
  for (ExchangeCost* way : {&m.stores, &m.mpi_near, &m.mpi_far}) way->epoch_s = way->message_s = 0;
  const double bytes = 64.0 * 64 * 64 / 8 * 16;
  EXPECT_DOUBLE_EQ(exchange_seconds(8, 1, slabs(0), slabs(1), m), bytes * 7 / 8 / m.mpi_far.bytes_per_s);
  EXPECT_DOUBLE_EQ(exchange_seconds(8, 4, slabs(0), slabs(1), m), bytes * 7 / 8 * (4.0 / 7) / m.mpi_far.bytes_per_s)
      << "4 of the 7 peers are far";
  EXPECT_DOUBLE_EQ(exchange_seconds(8, 8, slabs(0), slabs(1), m), 0)
      << "inside a node the sweep stores the bytes itself";
}

TEST(Model, SweepsTakeTheTimeOfMovingAndOfComputingSharedByTheThreads) {
  Machine m;
  m.team_s = 0;
  const Comm comm = dry_run(1);
  const AxisTransform axis{0, 256, Transform1d::forward};
  const Model one{.machine = m, .comm = &comm},
      four{.machine = m, .comm = &comm, .tuning = {{.non_temporal = NonTemporal::all}, 4}};
  EXPECT_DOUBLE_EQ(one.copy(1e6, 16), 2e6 * 16 / m.memory_bytes_per_s);
  EXPECT_DOUBLE_EQ(one.computed(axis, 1e6), 5 * 8 * 1e6 / m.f64[0].of_power[2]);
  EXPECT_GT(one.sweep(axis, 1e6, 16), one.copy(1e6, 16) + one.computed(axis, 1e6))
      << "gather and scatter are slower than a copy";
  EXPECT_LT(one.sweep(axis, 1e6, 16), 3 * one.copy(1e6, 16) + one.computed(axis, 1e6));
  EXPECT_DOUBLE_EQ(four.sweep(axis, 1e6, 16) * 4, one.sweep(axis, 1e6, 16));
}

TEST(Model, ANodesRanksShareItsMemoryBandwidth) {
  Machine m;
  m.node_bytes_per_s = 2 * m.memory_bytes_per_s;
  const Comm comm = dry_run(8, 0, 8);
  const Model two{.machine = m, .comm = &comm, .sharers = 2}, eight{.machine = m, .comm = &comm, .sharers = 8};
  EXPECT_DOUBLE_EQ(eight.copy(1e6, 16), 4 * two.copy(1e6, 16));
}

TEST(Model, StoresThatAreNotStreamedReadTheirLinesFirstUnlessTheyStayInCache) {
  const Comm comm = dry_run(1);
  const Model non_temporal{.comm = &comm}, plain{.comm = &comm, .tuning = {}},
      cached{.comm = &comm, .tuning = {}, .cached = true}, out_of_cache{.comm = &comm, .cached = true};
  EXPECT_DOUBLE_EQ(plain.copy(1e6, 16), 1.5 * non_temporal.copy(1e6, 16));
  EXPECT_LT(cached.copy(1e6, 16), non_temporal.copy(1e6, 16));
  EXPECT_LT(cached.copy(1e6, 16), out_of_cache.copy(1e6, 16));
}

TEST(Model, WithoutBuffersSweepsMoveLessWhereTheArrayFitsTheCommonCacheAndMoreWhereItDoesNot) {
  const Comm comm = dry_run(1);
  const AxisTransform axis{0, 64, Transform1d::forward};
  const Tuning output{{.intermediate = Intermediate::output, .non_temporal = NonTemporal::all}};
  const Model with{.comm = &comm, .fits_common_cache = true},
      near{.comm = &comm, .tuning = output, .fits_common_cache = true}, far{.comm = &comm, .tuning = output};
  EXPECT_LT(near.sweep(axis, 1e6, 16), with.sweep(axis, 1e6, 16));
  EXPECT_GT(far.sweep(axis, 1e6, 16), with.sweep(axis, 1e6, 16));
  EXPECT_LT(near.more_of_sweep(axis, 1e6, 16, false), with.more_of_sweep(axis, 1e6, 16, false));
}

TEST(Model, ThroughMpiEveryByteTravelsAndChunksHideAPartOfIt) {
  const Comm comm = dry_run(4, 0, 4);
  const Layout from(slabs(0), shape, 4), to(slabs(1), shape, 4);
  const auto seconds = [&](Path path, int chunks) {
    return Model{.comm = &comm, .sharers = 4, .path = path, .tuning = {{.chunks = chunks}}}.exchange(from, to, 1600);
  };
  EXPECT_GT(seconds(Path::mpi, 1), seconds(Path::stores, 1));
  EXPECT_LT(seconds(Path::mpi, 4), seconds(Path::mpi, 1)) << "long messages";
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
