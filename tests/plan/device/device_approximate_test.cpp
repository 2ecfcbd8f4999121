// Approximate mode of plans on devices beside what approximate_places_test.cpp shows of it. Exact results of the host
// are the measure.
#include "plan/approximate/beside_exact.hpp"
#include "support/chosen.hpp"
#include "support/comm/comm_threads.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

const Options encoded{.input = bricks(),
                      .output = pencils(0),
                      .tolerance = 1e-3,
                      .threads = 1,
                      .device = space(),
                      .expert = {.encode_near = true}};

// Messages are decoded before the sweep if its tiles cut what is decoded together, or if a kernel gathers by itself.
TEST(DeviceApproximate, MessagesAreDecodedIntoTilesWhereTheseEndWithSegments) {
  const auto way = [&](const Shape& shape, const Options& o) {
    const Problem p{.shape = shape};
    std::string text;
    on_ranks(2, [&](Comm comm) {
      const auto b = beside_exact<double>(comm, p, o, data_of(0, p.shape, true, 5, false));
      EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
      EXPECT_LE(b.loss.bound, std::max(o.tolerance, 1e-14));
      const Plan plan(comm, p, o);
      if (comm.rank() == 0) text = plan.describe();
    });
    EXPECT_NE(text.find("; messages are decoded "), std::string::npos) << text;
    return text.find("; messages are decoded into its tiles") != std::string::npos;
  };
  Options o = encoded;
  o.expert.decomposition = "pencil";
  o.expert.fuse = 1;
  EXPECT_TRUE(way({64, 96, 100}, o)) << "more than one tile of a rank";
  const Shape small{24, 20, 28};
  o.expert.codec = "lossless";
  o.tolerance = 0;
  EXPECT_TRUE(way(small, o));
  o = encoded;
  o.expert.tile = 1;
  EXPECT_FALSE(way(small, o)) << "a pencil is less than a unit";
  if (space() != "emulated") return;
  o.expert.tile = 0;
  o.expert.engine = "fused";
  o.expert.fuse = 1;
  EXPECT_FALSE(way(small, o)) << "a kernel gathers";
}

// What comes in messages misses the gather.
TEST(DeviceApproximate, WhatIsDecodedForTheSecondHalfOfASplitAxisIsMultipliedByItsTwiddleFactors) {
  int to_tiles = 0, before = 0;
  const auto check = [&](const Problem& p, const Options& o, int ranks, auto zero) {
    using T = decltype(zero);
    for (const Direction direction : {Direction::forward, Direction::backward})
      on_ranks(ranks, [&](Comm comm) {
        const auto b = beside_exact<T>(comm, p, o, data_of(0, p.shape, true, 5, sizeof(T) == 4), direction);
        EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic)
            << to_string(p) << ", codec '" << o.expert.codec << "', tile " << o.expert.tile;
        EXPECT_GT(b.loss.bytes_before, 0);
        const Plan plan(comm, p, o);
        if (comm.rank() != 0) return;
        const std::string text = plan.describe();
        EXPECT_NE(text.find("split axis 0"), std::string::npos) << text;
        to_tiles += text.find("; messages are decoded into its tiles") != std::string::npos;
        before += text.find("; messages are decoded before it") != std::string::npos;
      });
  };
  for (const int ranks : {2, 3})
    for (const LayoutSpec& layout : {slabs(0), cyclic(0)})
      for (const char* codec : {"", "lossless"})
        for (const int tile : {0, 1}) {
          Options o = encoded;
          o.input = layout, o.output = slabs(0);
          o.expert.codec = codec;
          o.tolerance = o.expert.codec.empty() ? 1e-3 : 0;
          o.expert.split = SplitAxis::always;
          o.expert.tile = tile;
          if (sanitized && ranks != 3) continue;
          check({.shape = {48 * 50}}, o, ranks, 0.0);
          if (!sanitized) check({.shape = {48 * 50}, .precision = f32}, o, ranks, 0.0F);
        }
  EXPECT_GT(to_tiles, 0);
  EXPECT_GT(before, 0);
}

TEST(DeviceApproximate, OnlyWhatLeavesANodeIsEncoded) {
  const Problem p{.shape = {24, 20, 28}};
  const auto bytes_before = [&](int ranks_per_node) {
    double bytes = 0;
    on_ranks(6, ranks_per_node, [&](Comm comm) {
      Options o = encoded;
      o.expert.encode_near = false;
      const auto b = beside_exact<double>(comm, p, o, data_of(0, p.shape, true, 5, false));
      EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
      EXPECT_LE(b.loss.bound, o.tolerance);
      if (comm.rank() == 0) bytes = b.loss.bytes_before;
    });
    return bytes;
  };
  const double all = bytes_before(1), some = bytes_before(3);
  EXPECT_EQ(bytes_before(6), 0);
  EXPECT_GT(some, 0);
  EXPECT_LT(some, all);
}

TEST(DeviceApproximate, RefusesWhatDevicesDoNotHaveAndSaysWhatTheyHave) {
  const auto refused = [](Options options) {
    options.expert.encode_near = true;
    options.device = "emulated";
    std::string said;
    on_ranks(2, [&](Comm comm) {
      const std::string mine = thrown([&] { Plan(comm, {.shape = {8, 8}}, options); });
      EXPECT_NE(mine, "") << "rank " << comm.rank();
      if (comm.rank() == 1) said = mine;
    });
    return said;
  };
  const std::string codec = refused({.tolerance = 1e-3, .expert = {.codec = "mantissa"}});
  EXPECT_NE(codec.find("lossless, f32, f16, block_float; got 'mantissa'"), std::string::npos) << codec;
  EXPECT_NE(refused({.tolerance = 1e-17}).find("at least what arithmetic"), std::string::npos);
  EXPECT_NE(refused({.tolerance = 1e-3, .expert = {.transport = "shared_memory"}}).find("the arrays are on a device"),
            std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
