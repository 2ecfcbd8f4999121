// Stages: whole along their axes, few exchanges, the caller's layouts where they serve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "planner/planning.hpp"
#include "shardfft/error.hpp"
#include "sweep/sweep.hpp"

namespace shardfft::testing {
namespace {

const Problem cube{.shape = {64, 64, 64}};

std::vector<int> order_of(const Problem& problem, const LayoutSpec& space, const LayoutSpec& spectrum,
                          const std::vector<int>& forced = {}) {
  return axes_of(axis_order(check(problem), space, spectrum, forced));
}

TEST(Decompose, NeedsAsFewExchangesAsTheLayoutsAllow) {
  EXPECT_EQ(exchanges_of(fewest_exchanges(cube, slabs(0), slabs(0), 8)), 2);
  EXPECT_EQ(exchanges_of(fewest_exchanges(cube, slabs(0), slabs(1), 8)), 1);
  EXPECT_EQ(exchanges_of(fewest_exchanges(cube, slabs(0), any, 8)), 1);
  EXPECT_EQ(exchanges_of(fewest_exchanges(cube, any, any, 8)), 1);
  EXPECT_EQ(exchanges_of(fewest_exchanges(cube, pencils(2), pencils(0), 16)), 2);
  EXPECT_EQ(exchanges_of(fewest_exchanges(cube, pencils(2), pencils(0), 16, {.decomposition = "pencil"})), 2);
  EXPECT_EQ(exchanges_of(fewest_exchanges(cube, process_grid({2, 2, 2}), process_grid({2, 2, 2}), 8)), 3)
      << "to slabs, to other slabs, back";
  EXPECT_EQ(exchanges_of(fewest_exchanges(cube, process_grid({2, 2, 2}), process_grid({2, 2, 2}), 8,
                                          {.decomposition = "pencil"})),
            4);
  EXPECT_EQ(exchanges_of(fewest_exchanges({.shape = {64, 64}}, slabs(0), slabs(0), 8)), 2);
  EXPECT_EQ(exchanges_of(fewest_exchanges({.shape = {64, 64}}, slabs(0), slabs(1), 8)), 1);
}

TEST(Decompose, OrdersStagesInMemoryAsBothOfTheCallersArraysAre) {
  const auto orders_of = [](const LayoutSpec& space, const LayoutSpec& spectrum) {
    std::set<std::vector<int>> orders;
    for (const Stage& stage : fastest(cube, space, spectrum, 8).stages)
      for (const Layout* layout : {&stage.in, &stage.out}) orders.insert(layout->order());
    return orders;
  };
  using Orders = std::set<std::vector<int>>;
  const std::vector<int> fortran{2, 1, 0}, natural{0, 1, 2};
  EXPECT_EQ(orders_of(slabs(2).ordered(fortran), slabs(0).ordered(fortran)), Orders{fortran});
  EXPECT_EQ(orders_of(process_grid({2, 2, 2}).ordered({1, 2, 0}), bricks().ordered({1, 2, 0})), (Orders{{1, 2, 0}}));
  EXPECT_EQ(orders_of(slabs(2).ordered(fortran), slabs(0)), Orders{natural});
  EXPECT_EQ(orders_of(slabs(2).ordered(fortran), any), Orders{natural}) << "of which the planner says where it lies";
}

TEST(Decompose, NeedsNoExchangeWhereABatchAxisServesAllRanks) {
  const Problem batch{.shape = {16, 8, 8}, .axes = {1, 2}};
  EXPECT_EQ(exchanges_of(fewest_exchanges(batch, any, any, 8)), 0);
  EXPECT_EQ(exchanges_of(fewest_exchanges(batch, slabs(0), slabs(0), 8)), 0);
  const Decomposition d = fastest(batch, any, any, 8);
  EXPECT_EQ(exchanges_of(d), 0);
  EXPECT_EQ(d.space.count(7), 16 * 8 * 8 / 8) << "and every rank has its share";
}

TEST(Decompose, FindsAPathWhateverTheMachineIsSaidToBe) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double rate : {0.0, -1.0, infinite, std::nan(""), 1e-320}) {
    Machine absurd;
    absurd.memory_bytes_per_s = absurd.cache_bytes_per_s = absurd.mpi_far.bytes_per_s = rate;
    absurd.stores.epoch_s = rate;
    const CheckedProblem p = check(cube);
    const Comm comm = dry_run(4, 0, 2);
    const Model model{.machine = absurd, .comm = &comm, .sharers = 2};
    const Decomposition d = decompose(p, axis_order(p, slabs(0), slabs(0), {}), slabs(0), slabs(0), 4, {},
                                      {.model = &model, .plane_limit = 1 << 20, .fuse = 2});
    EXPECT_EQ(axes_of(d.stages), (std::vector<int>{2, 1, 0})) << rate;
    EXPECT_TRUE(std::isfinite(d.cost)) << rate;
  }
}

TEST(Decompose, NeedsNoneOnOneRank) {
  std::mt19937_64 random(81);
  for (const LayoutSpec& from : layouts_of_every_kind(random, cube.shape, 1))
    EXPECT_TRUE(from.kind == LayoutSpec::Kind::boxes || exchanges_of(fastest(cube, from, any, 1)) == 0)
        << to_string(from);
}

TEST(Decompose, TransformsEveryAxisOnceInTheGivenOrderOnLayoutsThatAreWholeThere) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Case c = random_case(seed, 3000, 13);
    const CheckedProblem p = check(c.problem);
    const LayoutSpec& space = c.problem.kind == c2r ? c.options.output : c.options.input;
    const LayoutSpec& spectrum = c.problem.kind == c2r ? c.options.input : c.options.output;
    const auto order = axis_order(p, space, spectrum, {});
    const Comm comm = dry_run(c.ranks, 0, 4);
    const Model model{.machine = {}, .comm = &comm};
    for (const Model* with : {static_cast<const Model*>(nullptr), &model}) {
      SCOPED_TRACE(to_string(c));
      const Decomposition d =
          decompose(p, order, space, spectrum, c.ranks, {.decomposition = c.options.expert.decomposition},
                    {.model = with, .plane_limit = 1 << 16, .fuse = 1 + static_cast<int>(seed % 2)});
      std::vector<int> wanted;
      for (const AxisTransform& axis : order) wanted.push_back(axis.axis);
      EXPECT_EQ(axes_of(d.stages), wanted);
      EXPECT_EQ(d.space.global(), p.space);
      EXPECT_EQ(d.spectrum.global(), p.spectrum);
      if (space.kind != LayoutSpec::Kind::any) { EXPECT_EQ(to_string(d.space.spec()), to_string(space)); }
      if (spectrum.kind != LayoutSpec::Kind::any) { EXPECT_EQ(to_string(d.spectrum.spec()), to_string(spectrum)); }
      for (const Stage& stage : d.stages) {
        EXPECT_LE(stage.axes.size(), 1 + seed % 2);
        const bool first = &stage == &d.stages.front();
        EXPECT_EQ(stage.in.global(), first ? p.space : p.spectrum);
        EXPECT_EQ(stage.out.global(), p.spectrum);
        for (const AxisTransform& axis : stage.axes)
          EXPECT_TRUE(stage.in.is_whole_along(axis.axis) && stage.out.is_whole_along(axis.axis));
        for (int rank = 0; rank < c.ranks; ++rank) {
          auto in = stage.in.boxes(rank), out = stage.out.boxes(rank);
          ASSERT_EQ(in.size(), out.size());
          for (std::size_t b = 0; b < in.size(); ++b) {
            for (const AxisTransform& axis : stage.axes) in[b].hi[axis.axis] = out[b].hi[axis.axis];
            EXPECT_EQ(in[b], out[b]) << "a sweep changes nothing but the extent of the real axis";
          }
        }
      }
      if (!with) { EXPECT_EQ(d.cost, exchanges_of(d)) << "the cost is the number of exchanges"; }
    }
  }
}

TEST(Decompose, KeepsTheCallersLayoutsWhereTheyServe) {
  const Decomposition there_and_back = fastest(cube, slabs(0), slabs(0), 4);
  EXPECT_TRUE(there_and_back.stages.front().in.same_owners(there_and_back.space));
  const Decomposition over = fastest(cube, slabs(0), slabs(1), 4);
  EXPECT_TRUE(over.stages.front().in.same_owners(over.space));
  EXPECT_TRUE(over.stages.back().out.same_owners(over.spectrum));
  const Decomposition real = fastest({.shape = {64, 64, 64}, .kind = r2c}, slabs(0), slabs(1), 4);
  EXPECT_TRUE(real.stages.front().in.same_owners(real.space));
  EXPECT_TRUE(real.stages.back().out.same_owners(real.spectrum));
}

TEST(Decompose, TakesSlabsForACubeOnFewRanks) {
  for (const int ranks : {2, 4, 8})
    for (const int per_node : {1, ranks}) {
      const Decomposition d = fastest(cube, any, any, ranks, per_node);
      EXPECT_EQ(exchanges_of(d), 1) << ranks << " ranks, " << per_node << " per node";
      for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(d.space.count(rank), 64 * 64 * 64 / ranks);
    }
}

TEST(Decompose, GivesMostRanksWorkWhereThereAreMoreThanPlanes) {
  for (const int ranks : {2000, 2048, 4093, 4096}) {
    const Decomposition d = fastest({.shape = {1024, 1024, 1024}}, any, any, ranks);
    for (const Stage& stage : d.stages) EXPECT_GT(2 * product(stage.in.grid()), ranks) << ranks;
  }
}

TEST(Decompose, ObeysTheGivenProcessGrid) {
  for (const Decomposition& d : {fewest_exchanges(cube, any, any, 6, {.ranks_grid = {2, 3}}),
                                 fastest(cube, any, any, 6, 1, {.ranks_grid = {2, 3}})})
    for (const Stage& stage : d.stages) {
      std::vector<Index> cut;
      for (const Index p : stage.in.grid())
        if (p > 1) cut.push_back(p);
      EXPECT_EQ(cut, (std::vector<Index>{2, 3}));
    }
}

TEST(Decompose, FusesAxesOnlyWhereItMay) {
  const CheckedProblem p = check(cube);
  const auto order = axis_order(p, slabs(0), slabs(1), {});
  const Comm comm = dry_run(4);
  const Model model{.machine = {}, .comm = &comm};
  const auto sweeps = [&](Index plane_limit, int fuse) {
    return decompose(p, order, slabs(0), slabs(1), 4, {}, {.model = &model, .plane_limit = plane_limit, .fuse = fuse})
        .stages.size();
  };
  EXPECT_EQ(sweeps(64 * 64 * 16, 2), 2u);
  EXPECT_EQ(sweeps(64 * 64 * 16 - 1, 2), 3u) << "a plane does not stay in cache";
  EXPECT_EQ(sweeps(64 * 64 * 16, 1), 3u);
}

TEST(Decompose, FusesAxesBeforeTheLastOneWhereTheirPlaneIsSmall) {
  const CheckedProblem p = check({.shape = {4, 8, 4096}});
  const Comm comm = dry_run(1);
  const Model model{.machine = {}, .comm = &comm};
  const auto sweeps = [&](Index narrow) {
    return decompose(p, axis_order(p, any, any, {}), any, any, 1, {},
                     {.model = &model, .plane_limit = 8 * 4096 * 16 - 1, .narrow_plane_limit = narrow})
        .stages.size();
  };
  EXPECT_EQ(sweeps(4 * 8 * planes_together * 16), 2u) << "axis 2, axes 1 and 0";
  EXPECT_EQ(sweeps(4 * 8 * planes_together * 16 - 1), 3u);
}

TEST(Decompose, FusesOnADeviceWhatItHasRoomFor) {
  const CheckedProblem p = check(cube);
  const Comm comm = dry_run(1);
  const Model model{.machine = {}, .comm = &comm};
  const auto sweeps = [&](Index room) {
    return decompose(p, axis_order(p, any, any, {}), any, any, 1, {},
                     {.model = &model, .plane_limit = room, .fuse = 3, .on_device = true})
        .stages.size();
  };
  EXPECT_EQ(sweeps(64 * 64 * 64 * 16), 1u);
  EXPECT_EQ(sweeps(64 * 64 * 64 * 16 - 1), 2u) << "of three axes together there is no room";
  EXPECT_EQ(sweeps(64 * 64 * 16), 2u);
  EXPECT_EQ(sweeps(64 * 64 * 16 - 1), 3u);
}

TEST(AxisOrder, LeavesOutComplexAxesOfOneElementUnlessThereAreNoOthers) {
  EXPECT_EQ(order_of({.shape = {4, 1, 5, 1}}, any, any), (std::vector<int>{2, 0}));
  EXPECT_EQ(order_of({.shape = {1, 1}}, any, any), (std::vector<int>{1}));
  EXPECT_EQ(order_of({.shape = {4, 1, 5, 1}, .kind = r2c}, any, any), (std::vector<int>{3, 2, 0}))
      << "reals become complex there";
  EXPECT_EQ(order_of({.shape = {4, 1, 5}}, any, any, {0, 1, 2}), (std::vector<int>{0, 2}));
}

TEST(AxisOrder, IsLastAxisFirstUnlessTheLayoutsSaveAnExchangeTheOtherWay) {
  EXPECT_EQ(order_of(cube, any, any), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(order_of(cube, slabs(0), slabs(0)), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(order_of(cube, slabs(0), slabs(1)), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(order_of(cube, pencils(2), pencils(0)), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(order_of(cube, pencils(0), pencils(2)), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(order_of({.shape = {8, 8, 8}, .axes = {2, 0}}, any, any), (std::vector<int>{0, 2}))
      << "the last of the axes as they were asked for";
}

TEST(AxisOrder, StartsWithTheRealAxisAlways) {
  for (const Kind kind : {r2c, c2r})
    for (const auto& [space, spectrum] :
         {std::pair{slabs(0), slabs(1)}, {pencils(0), pencils(2)}, {pencils(2), pencils(0)}, {slabs(2), slabs(0)}})
      EXPECT_EQ(order_of({.shape = {8, 9, 10}, .kind = kind}, space, spectrum).front(), 2);
}

TEST(AxisOrder, CanBeForcedInTheOrderOfTheForwardTransforms) {
  EXPECT_EQ(order_of(cube, any, any, {1, 0, -1}), (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(order_of({.shape = {8, 8, 8}, .kind = c2r}, any, any, {1, 0, 2}), (std::vector<int>{2, 0, 1}))
      << "forward of c2r is the synthesis";
  EXPECT_THROW((void)order_of(cube, any, any, {1, 0}), Error);
  EXPECT_THROW((void)order_of(cube, any, any, {1, 0, 0}), Error);
  EXPECT_THROW((void)order_of({.shape = {8, 8, 8}, .kind = r2c}, any, any, {1, 0, 2}), Error);
  EXPECT_THROW((void)order_of({.shape = {8, 8, 8}, .kind = c2r}, any, any, {2, 0, 1}), Error);
}

TEST(AxisOrder, OfALayoutGivenAsBoxesOrAGridIsLastAxisFirst) {
  EXPECT_EQ(order_of(cube, process_grid({1, 2, 2}), process_grid({2, 2, 1})), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(order_of(cube, custom({{whole(cube.shape)}}), pencils(2)), (std::vector<int>{2, 1, 0}));
}

std::vector<int> order_back(const Problem& problem, const LayoutSpec& space, const LayoutSpec& spectrum) {
  const CheckedProblem p = check(problem);
  return axes_of(synthesis_order(p, space, spectrum, axis_order(p, space, spectrum, {})));
}

const std::vector<int> the_reverse{};

TEST(SynthesisOrder, IsThatInWhichTheSpectrumLiesInMemory) {
  EXPECT_EQ(order_back(cube, slabs(0), slabs(0)), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(order_back(cube, pencils(2), pencils(2)), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(order_back(cube, bricks(), bricks()), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(order_back(cube, slabs(0), slabs(1).ordered({1, 0, 2})), (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(order_back({.shape = {8, 8, 8}, .axes = {1, 2}}, slabs(0), slabs(0)), (std::vector<int>{2, 1}));
  EXPECT_EQ(order_back({.shape = {4, 1, 5, 6}}, slabs(0), slabs(0)), (std::vector<int>{3, 2, 0}))
      << "axes of one element are left out";
}

TEST(SynthesisOrder, IsTheReverseWhereThatSavesAnExchangeOrTheLayoutsAreOpen) {
  EXPECT_EQ(order_back(cube, pencils(2), pencils(0)), the_reverse);
  EXPECT_EQ(order_back(cube, slabs(0), slabs(1)), the_reverse)
      << "in natural memory order axis 2 comes first, but then axis 1";
  EXPECT_EQ(order_back(cube, slabs(0), any), the_reverse);
  EXPECT_EQ(order_back(cube, any, any), the_reverse);
  EXPECT_EQ(order_back(cube, process_grid({1, 2, 2}), process_grid({1, 2, 2})), the_reverse);
  EXPECT_EQ(order_back(cube, custom({{whole(cube.shape)}}), custom({{whole(cube.shape)}})), the_reverse);
  EXPECT_EQ(order_back(cube, cyclic(0), slabs(0)), the_reverse);
  EXPECT_EQ(order_back(cube, slabs(0), slabs(0).ordered({2, 1, 0})), the_reverse) << "it is the same";
}

TEST(SynthesisOrder, IsTheReverseForRealsMatricesAndAxesThatAreNotFast) {
  for (const Kind kind : {r2c, c2r})
    EXPECT_EQ(order_back({.shape = {8, 8, 8}, .kind = kind}, slabs(0), slabs(0)), the_reverse);
  EXPECT_EQ(order_back({.shape = {64, 64}}, slabs(0), slabs(0)), the_reverse);
  EXPECT_EQ(order_back({.shape = {8, 8, 8}, .axes = {0, 1}}, slabs(2), slabs(2)), the_reverse)
      << "without the fastest axis, no order reads line by line";
}

}  // namespace
}  // namespace shardfft::testing
