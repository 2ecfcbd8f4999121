// Sizes that no machine here holds: planned on ranks that do not exist, every count checked.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <tuple>

#include "grid/blocks.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

using nlohmann::json;

constexpr Index n = 40000, ranks = 100000;

json described(int rank, const Options& options) {
  return json::parse(Plan(dry_run(ranks, rank), {.shape = {n, n, n}}, options).describe_json());
}

TEST(Plans, AreTheSameWhetherTheAxesOfTheirLayoutsAreCountedFromTheFrontOrTheEnd) {
  const auto described_with = [](const LayoutSpec& in, const LayoutSpec& out) {
    return Plan(dry_run(6, 4, 3), {.shape = {12, 18, 24}}, {.input = in, .output = out}).describe_json();
  };
  EXPECT_EQ(described_with(slabs(-3), pencils(-1)), described_with(slabs(0), pencils(2)));
  EXPECT_EQ(described_with(cyclic(-1), any), described_with(cyclic(2), any));
  EXPECT_EQ(described_with(cyclic(-2), cyclic(-2)), described_with(cyclic(1), cyclic(1)));
}

TEST(Plans, OfADryRunAreThoseOfRankZeroOnEveryRank) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const LayoutSpec inputs[] = {slabs(0), pencils(1), bricks(), cyclic(0)};
  for (int i = 0; i < 8; ++i) {
    const Coord shape{9 + below(12), 9 + below(12), 20};
    const int all = 2 + below(12), on_node = 1 << below(3), input = below(4);
    SCOPED_TRACE(std::to_string(all) + " ranks, " + std::to_string(on_node) + " on a node");
    const auto planned = [&](int rank) {
      const Plan plan(dry_run(all, rank, on_node), {.shape = shape}, {.input = inputs[input], .output = any});
      json d = json::parse(plan.describe_json());
      d["recipe"].erase("threads");  // a rank's own: a node may have fewer ranks
      return std::tuple(d["recipe"], d["model_s"], d["bytes_to_other_nodes"]);
    };
    for (int rank = 1; rank < all; ++rank) EXPECT_EQ(planned(rank), planned(0)) << "rank " << rank;
  }
}

TEST(Scale, CountsOfFortyThousandCubedOnAHundredThousandRanksAreExact) {
  const Index p = 250, q = 400;  // pencils: 40000/250 = 160, 40000/400 = 100
  for (const int rank : {0, 1, 57123, static_cast<int>(ranks) - 1}) {
    const json d = described(
        rank, {.input = process_grid({p, q, 1}), .output = process_grid({1, p, q}), .expert = {.ranks_grid = {p, q}}});
    const Index local = n / p * (n / q) * n, bytes = local * 16;
    EXPECT_EQ(d["input_bytes"].get<Index>(), bytes);
    EXPECT_EQ(d["output_bytes"].get<Index>(), bytes);
    EXPECT_EQ(d["bytes_moved_memory"]["forward"].get<Index>(), 3 * 2 * bytes);
    // Two exchanges: within rows of q ranks, then within columns of p ranks; what stays at home is not sent.
    const Index sent = (bytes - bytes / q) + (bytes - bytes / p);
    EXPECT_EQ(d["bytes_sent_network"]["forward"].get<Index>(), sent);
    EXPECT_EQ(d["bytes_sent_network"]["backward"].get<Index>(), sent);
    EXPECT_EQ(d["messages_sent"]["forward"].get<Index>() % ((q - 1) + (p - 1)), 0);
    EXPECT_GE(d["messages_sent"]["forward"].get<Index>(), (q - 1) + (p - 1));
  }
}

TEST(Scale, UnevenCountsAddUp) {
  const Options options{.input = slabs(0), .output = slabs(1), .expert = {.decomposition = "slab", .chunks = 1}};
  const Index rows = blocks::begin(n, ranks, 7 + 1) - blocks::begin(n, ranks, 7);
  const json d = described(7, options);
  EXPECT_EQ(rows, 1) << "40000 planes on 100000 ranks: the first 40000 ranks own one each";
  EXPECT_EQ(d["input_bytes"].get<Index>(), n * n * 16);
  EXPECT_EQ(d["bytes_sent_network"]["forward"].get<Index>(), (n - 1) * n * 16);
  EXPECT_EQ(d["messages_sent"]["forward"].get<Index>(), n - 1);
  const json idle = described(ranks - 1, options);
  EXPECT_EQ(idle["input_bytes"].get<Index>(), 0);
  EXPECT_EQ(idle["messages_sent"]["forward"].get<Index>(), 0);
}

// Tables of such an axis would fill the memory before its buffers are asked for.
TEST(Scale, WhatHasNoRoomIsRefusedBeforeItsTablesAreMade) {
  for (const Shape& shape :
       {Shape{Index{1} << 58}, Shape{(Index{1} << 40) - 27}, Shape{Index{1} << 29, Index{1} << 29}})
    for (const int size : {1, 3})
      on_ranks(size, [&](const Comm& comm) {
        try {
          const Plan plan(comm, {.shape = shape}, {.input = slabs(0), .output = slabs(0)});
          ADD_FAILURE() << "no error for " << to_string(shape);
        } catch (const Error& error) { EXPECT_EQ(error.status(), Status::out_of_memory) << error.what(); }
      });
}

TEST(Scale, ThePlannerFindsPencilsByItself) {
  const json d = described(0, {});
  EXPECT_EQ(d["recipe"]["decomposition"].get<std::string>(), "pencil");
  EXPECT_GT(d["input_bytes"].get<Index>(), 0);
}

TEST(Scale, APlanThatWasOnlyLookedAtCannotRun) {
  Plan plan(dry_run(8), {.shape = {16, 16, 16}});
  Array in = plan.make_input(), out = plan.make_output();
  EXPECT_THROW(plan.forward(in, out), Error);
}

TEST(Scale, RanksOfTheSameNodeShareMemory) {
  const json d = json::parse(
      Plan(dry_run(8, 0, 4), {.shape = {64, 64, 64}}, {.input = slabs(0), .output = slabs(1)}).describe_json());
  const Index piece = 8 * 8 * 64 * 16;
  EXPECT_EQ(d["bytes_stored_shared"]["forward"].get<Index>(), 3 * piece);
  EXPECT_EQ(d["bytes_sent_network"]["forward"].get<Index>(), 4 * piece);
  EXPECT_EQ(d["nodes"].get<int>(), 2);
}

TEST(Scale, ADryRunTakesSendAndReceiveBuffersForOtherNodes) {
  const json d = json::parse(Plan(dry_run(8, 0, 4), {.shape = {64, 64, 64}},
                                  {.input = slabs(0), .output = slabs(1), .threads = 1, .wisdom = false})
                                 .describe_json());
  const json alone = json::parse(Plan(dry_run(4, 0, 4), {.shape = {64, 64, 64}},
                                      {.input = slabs(0),
                                       .output = slabs(1),
                                       .threads = 1,
                                       .wisdom = false,
                                       .expert = {.intermediate = Intermediate::buffers}})
                                     .describe_json());
  const Index piece = 8 * 8 * 64 * 16, tiles = alone["workspace_bytes"].get<Index>();
  const Index buffers = d["workspace_bytes"].get<Index>() - tiles, windows = d["shared_bytes"].get<Index>();
  EXPECT_GE(windows, 4 * piece) << "from four ranks of the node, this one among them";
  EXPECT_LT(windows, 2 * 5 * piece) << "padded, in one slot or two";
  EXPECT_GE(buffers, 2 * 4 * piece) << "to and from the four others";
  EXPECT_LT(buffers, 3 * 5 * piece);
}

}  // namespace
}  // namespace shardfft::testing
