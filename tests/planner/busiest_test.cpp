// Counts by classes of nodes are those of every rank.
#include "planner/model/busiest.hpp"

#include <gtest/gtest.h>

#include <map>

#include "grid/axis_split.hpp"
#include "planner/decide/planner.hpp"
#include "planner/model/model.hpp"
#include "planner/model/split_traffic.hpp"
#include "planner/predict/path.hpp"
#include "shardfft/programs/predict.hpp"
#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

/// By looking at what each rank has for each other one.
BusiestTraffic counted_one_by_one(const Layout& from, const Layout& to, int per_node) {
  BusiestTraffic most;
  std::map<int, Index> left;  // by each node
  for (int rank = 0; rank < from.ranks(); ++rank) {
    std::map<int, Index> shared;  // with each peer
    for (const Box& box : from.boxes(rank))
      for (const auto& [peer, part] : to.owners(box)) shared[peer] += part.count();
    Index sent = 0, far = 0, messages = 0, far_messages = 0;
    for (const auto& [peer, elements] : shared) {
      const bool is_far = peer / per_node != rank / per_node;
      sent += peer != rank ? elements : 0, messages += peer != rank;
      far += is_far ? elements : 0, far_messages += is_far;
    }
    left[rank / per_node] += far;
    most.rank_elements = std::max(most.rank_elements, sent);
    most.rank_far_elements = std::max(most.rank_far_elements, far);
    most.rank_messages = std::max(most.rank_messages, messages);
    most.rank_far_messages = std::max(most.rank_far_messages, far_messages);
  }
  for (const auto& [node, elements] : left) most.node_elements = std::max(most.node_elements, elements);
  return most;
}

int owners(const Layout& layout) {
  int n = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) n += layout.count(rank) > 0;
  return n;
}

/// Fewer ranks that receive have more messages each.
BusiestTraffic sent_or_received(const Layout& from, const Layout& to, int per_node) {
  const BusiestTraffic sent = counted_one_by_one(from, to, per_node);
  if (owners(from) <= owners(to)) return sent;
  const BusiestTraffic received = counted_one_by_one(to, from, per_node);
  return {.rank_elements = std::max(sent.rank_elements, received.rank_elements),
          .rank_far_elements = std::max(sent.rank_far_elements, received.rank_far_elements),
          .rank_messages = std::max(sent.rank_messages, received.rank_messages),
          .rank_far_messages = std::max(sent.rank_far_messages, received.rank_far_messages),
          .node_elements = std::max(sent.node_elements, received.node_elements)};
}

LayoutSpec random_blocks(std::mt19937_64& random, const Shape& shape, int ranks) {
  switch (pick(random, 0, 3)) {
    case 0:
      return slabs(static_cast<int>(pick(random, 0, shape.dims() - 1)));
    case 1:
      return pencils(static_cast<int>(pick(random, 0, shape.dims() - 1)));
    case 2:
      return bricks();
    default:
      Coord grid = Coord::filled(shape.dims(), 1);
      Index left = ranks;
      for (int a = 0; a < shape.dims(); ++a) left /= grid[a] = pick(random, 1, left);
      return process_grid(grid);
  }
}

void expect_equal(const BusiestTraffic& got, const BusiestTraffic& expected) {
  EXPECT_EQ(got.rank_elements, expected.rank_elements);
  EXPECT_EQ(got.rank_far_elements, expected.rank_far_elements);
  EXPECT_EQ(got.rank_messages, expected.rank_messages);
  EXPECT_EQ(got.rank_far_messages, expected.rank_far_messages);
  EXPECT_EQ(got.node_elements, expected.node_elements);
}

TEST(Busiest, IsWhatACountOfEveryRankFinds) {
  const std::uint64_t seed = chosen_seed(std::random_device{}());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < chosen_problems(150); ++i) {
    const int ranks = static_cast<int>(pick(random, 1, pick(random, 0, 9) == 0 ? 1000 : 60)),
              per_node = static_cast<int>(pick(random, 1, 40));
    const Shape shape = small_shape(random, 4, 30);
    const Layout from(random_blocks(random, shape, ranks), shape, ranks),
        to(random_blocks(random, shape, ranks), shape, ranks);
    SCOPED_TRACE(from.describe() + " to " + to.describe() + " of " + to_string(shape) + ", " +
                 std::to_string(per_node) + " on a node");
    expect_equal(busiest(from, to, per_node), sent_or_received(from, to, per_node));
  }
}

// Lengths with prime factors, rows that ranks do not divide, ranks that own nothing; an array of axes beside, too.
TEST(Busiest, OfASplitAxisIsWhatACountOfEveryRankFinds) {
  const std::uint64_t seed = chosen_seed(std::random_device{}());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int counted = 0, gathered = 0;
  for (int i = 0; i < chosen_problems(150); ++i) {
    const int ranks = i == 0 ? 1000 : static_cast<int>(pick(random, 2, 40)),
              per_node = static_cast<int>(pick(random, 1, 20));
    const Digits digits = i % 3 == 0 ? Digits::hermitian : i % 3 == 1 ? Digits::after : Digits::before;
    const Index most = i == 0 ? 60 : 13;
    AxisSplit s{.axis = 0, .slow = pick(random, 2, most), .fast = pick(random, 2, most)};
    Shape shape{s.length()};
    if (i > 0 && pick(random, 0, 1)) shape = Coord{pick(random, 1, 4), s.length()}, s.axis = 1;
    if (digits == Digits::hermitian) shape[s.axis] = s.length() / 2 + 1;
    const Layout callers(i > 0 && pick(random, 0, 3) == 0 ? bricks() : slabs(s.axis), shape, ranks),
        parts = split(s, digits, callers);
    if (!parts.spec().rule) continue;
    Coord cuts = Coord::filled(parts.global().dims(), 1);
    cuts[s.axis + static_cast<int>(pick(random, 0, 1))] = pick(random, 1, ranks);
    if (s.axis > 0) cuts[0] = pick(random, 1, ranks / product(cuts));
    const Layout grid(process_grid(cuts), parts.global(), ranks);
    SCOPED_TRACE(to_string(parts.spec()) + " and " + grid.describe() + ", " + std::to_string(per_node) + " on a node");
    for (const auto& [from, to] : {std::pair(parts, grid), {grid, parts}}) {
      const auto got = busiest_split(from, to, per_node);
      ASSERT_TRUE(got.has_value());
      expect_equal(*got, sent_or_received(from, to, per_node));
      ++counted, gathered += owners(to) < owners(from);
    }
  }
  EXPECT_TRUE(counted > 0 && gathered > 0) << counted << " exchanges, " << gathered << " to fewer ranks";
}

// Three exchanges, two of them with slabs that are no grid.
TEST(Busiest, OfALongAxisIsWhatPredictionsSum) {
  const Cluster cluster{.name = "some",
                        .nodes = 100,
                        .ranks_per_node = 6,
                        .copy_bytes_per_s = 1e11,
                        .engine_flops_per_s = 1e10,
                        .link_bytes_per_s = 1e10,
                        .latency_s = 5e-6,
                        .message_gap_s = 1e-5};
  for (const Kind kind : {c2c, r2c})
    for (const int ranks : {25, 40}) {
      const Problem problem{.shape = {1000 * 1024}, .kind = kind};
      const Options options{.threads = 1, .wisdom = false, .expert = {.decomposition = "slab", .chunks = 1}};
      const Machine machine;
      double messages = 0, bytes = 0;
      int exchanges = 0;
      for (const PathStep& step : path_steps(make_recipe(dry_run(ranks, 0, 6), problem, options, &machine))) {
        if (!step.changes_owners()) continue;
        const BusiestTraffic all = sent_or_received(step.from, step.to, 6);
        messages += static_cast<double>(all.rank_far_messages);
        bytes += static_cast<double>(all.node_elements) * step.bytes;
        ++exchanges;
      }
      const Prediction p = predict(cluster, problem, options, ranks);
      EXPECT_EQ(exchanges, 3);
      EXPECT_EQ(p.messages, messages) << to_string(problem) << " on " << ranks;
      EXPECT_EQ(p.node_bytes, bytes) << to_string(problem) << " on " << ranks;
    }
}

TEST(Busiest, LeavesToOthersWhatItCannotCount) {
  const Layout callers(slabs(0), {35}, 4), parts = split({.axis = 0, .slow = 5, .fast = 7}, Digits::before, callers);
  ASSERT_TRUE(parts.spec().rule);
  const Layout both(process_grid({2, 2}), parts.global(), 4), one(process_grid({4, 1}), parts.global(), 4);
  EXPECT_FALSE(busiest_split(parts, both, 2)) << "a rank's rows differ along both axes";
  EXPECT_FALSE(busiest_split(parts, parts, 2));
  EXPECT_FALSE(busiest_split(one, both, 2));
  EXPECT_TRUE(busiest_split(parts, one, 2));
}

TEST(Busiest, AMillionRanksAreFewClasses) {
  const Shape shape{4000, 4000, 4000};
  const Layout from(process_grid({1000, 1000, 1}), shape, 1'000'000),
      to(process_grid({1000, 1, 1000}), shape, 1'000'000);
  const BusiestTraffic most = busiest(from, to, 50);
  EXPECT_LE(most.classes, 20) << "nodes lie at 20 places of a row";
  EXPECT_EQ(most.rank_messages, 999);
  EXPECT_EQ(most.rank_far_messages, 950);
  EXPECT_EQ(most.rank_elements, Index{4} * 4 * 4000 * 999 / 1000);
  EXPECT_EQ(most.node_elements, Index{50} * 4 * 4 * 4000 * 950 / 1000);
}

// Each row of pencils is two nodes, and columns go through all of them.
TEST(Busiest, TheModelKnowsWhatStaysOnANodeOfManyRanks) {
  const Shape shape{256, 256, 256};
  const int ranks = 4096;
  const Comm comm = dry_run(ranks, 0, 32);
  const Layout z(process_grid({64, 64, 1}), shape, ranks), y(process_grid({64, 1, 64}), shape, ranks),
      x(process_grid({1, 64, 64}), shape, ranks);
  EXPECT_DOUBLE_EQ(sent_between(comm, z, y, 16).far_share, 32.0 / 63);
  EXPECT_DOUBLE_EQ(sent_between(comm, y, x, 16).far_share, 1);
}

// The first rank has the planes of both halves afterwards, and keeps what it has; the second half is sent to others.
TEST(Busiest, TheModelLooksAtTheLastRankToo) {
  const Shape shape{64, 64, 64};
  const int ranks = 128;
  const Comm comm = dry_run(ranks, 0, 1);
  const Layout halves(process_grid({2, 1, 64}), shape, ranks), planes(process_grid({1, 1, 64}), shape, ranks);
  EXPECT_EQ(sent_between(comm, halves, planes, 1).bytes, 32 * 64);
  EXPECT_EQ(sent_between(comm, halves, planes, 1).messages, 1);
  EXPECT_EQ(busiest(halves, planes, 1).rank_elements, 32 * 64);
}

}  // namespace
}  // namespace shardfft::testing
