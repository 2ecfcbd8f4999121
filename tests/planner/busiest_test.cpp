// Counts by classes of nodes are those of every rank.
#include "planner/model/busiest.hpp"

#include <gtest/gtest.h>

#include <map>

#include "planner/model/model.hpp"
#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

/// By looking at what each rank has for each other one.
BusiestTraffic counted_one_by_one(const Layout& from, const Layout& to, int per_node) {
  BusiestTraffic most;
  std::map<int, Index> left;  // by each node
  for (int rank = 0; rank < from.ranks(); ++rank) {
    Index sent = 0, far = 0, messages = 0, far_messages = 0;
    for (const Box& box : from.boxes(rank))
      for (const auto& [peer, part] : to.owners(box)) {
        const bool is_far = peer / per_node != rank / per_node;
        sent += peer != rank ? part.count() : 0, messages += peer != rank;
        far += is_far ? part.count() : 0, far_messages += is_far;
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
    const BusiestTraffic by_classes = busiest(from, to, per_node), all = sent_or_received(from, to, per_node);
    SCOPED_TRACE(from.describe() + " to " + to.describe() + " of " + to_string(shape) + ", " +
                 std::to_string(per_node) + " on a node");
    EXPECT_EQ(by_classes.rank_elements, all.rank_elements);
    EXPECT_EQ(by_classes.rank_far_elements, all.rank_far_elements);
    EXPECT_EQ(by_classes.rank_messages, all.rank_messages);
    EXPECT_EQ(by_classes.rank_far_messages, all.rank_far_messages);
    EXPECT_EQ(by_classes.node_elements, all.node_elements);
  }
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
