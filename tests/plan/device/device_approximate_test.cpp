// Approximate mode of plans on devices: the same promise as on the host, whose exact results and whose definition of
// the transform are the measure.
#include <array>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "plan/approximate/kept_promise.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

// Choices of the host make no sense there, or mean something else.
Approximation on_device(Approximation a, std::uint64_t seed) {
  std::mt19937_64 random(seed * 31 + 1);
  const auto any_of = [&](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
  Options& o = a.c.options;
  o.device = space();
  o.expert.engine = space() == "emulated" ? any_of("", "fused") : "";
  if (!o.expert.engine.empty()) a.factor = 1;
  o.expert.transport = any_of("", "peer_kernel", "peer_copy", "via_host", "staged");
  o.expert.fuse = any_of(-1, 1, 2, 3);
  o.expert.tile = any_of(0, 0, 1, 3, 16, 1000);
  o.expert.non_temporal = NonTemporal::automatic;
  if (o.expert.codec == "mantissa" || o.expert.codec == "zfp") o.expert.codec.clear();
  if (a.c.problem.precision == f64 && random() % 3 > 0) o.tolerance = std::max(o.tolerance, 1e-10);
  return a;
}

std::string text_of(const Approximation& a) {
  const Options& o = a.c.options;
  return fmt::format("{}; engine '{}', transport '{}', tile {}, chunks {}, fuse {}, codec '{}'", to_string(a),
                     o.expert.engine, o.expert.transport, o.expert.tile, o.expert.chunks, o.expert.fuse,
                     o.expert.codec);
}

TEST(DeviceApproximate, TheErrorNeverExceedsTheBoundNorTheBoundTheTolerance) {
  keep_the_promise(
      80, [](std::uint64_t seed) { return on_device(random_approximation(seed, 1, 2000, 8), seed); }, text_of,
      [](auto&&... all) { run_on_device(all...); });
}

const Options encoded{.input = bricks(),
                      .output = pencils(0),
                      .tolerance = 1e-3,
                      .threads = 1,
                      .device = space(),
                      .expert = {.encode_near = true}};

Shape shape_in(const Problem& p) { return p.kind == c2r ? Shape{p.shape[0], p.shape[1], p.shape[2] / 2 + 1} : p.shape; }

// Half spectra are those of reals: others are done again, exactly.
Whole input_of(const Problem& p, int data) {
  if (p.kind != c2r) return data_of(data, p.shape, p.kind == c2c, 5, false);
  Problem forward = p;
  forward.kind = r2c;
  forward.axes = {0, 1, 2};
  return transformed(forward, data_of(data, p.shape, false, 5, false), Direction::forward);
}

// So many numbers that exchanges are dithered where that was asked for; against exact mode of the host.
TEST(DeviceApproximate, EveryGuaranteeHoldsOnArraysWhoseExchangesAreDithered) {
  Sample sample;
  for (const Kind kind : {c2c, r2c, c2r})
    for (const char* guarantee : {"certified", "worst", "statistical"})
      for (const int data : {0, 5, 13}) {
        if (!sample.takes()) continue;
        const Problem p{.shape = {40, 36, 44}, .kind = kind};
        const Whole x = input_of(p, data);
        on_ranks(4, [&](Comm comm) {
          Options o = encoded;
          o.guarantee = guarantee;
          const auto b = beside_exact<double>(comm, p, o, x);
          EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic)
              << to_string(p) << " " << guarantee << " " << kinds_of_data[data];
          EXPECT_LE(b.loss.bound, o.tolerance);
          EXPECT_GT(b.loss.encoded, 0);
          EXPECT_LT(b.loss.bits, 32) << to_string(p) << " " << guarantee << " " << kinds_of_data[data];
        });
      }
}

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

TEST(DeviceApproximate, AnAbsoluteToleranceBoundsTheNormOfTheErrorAndALargestErrorEveryElement) {
  for (const Kind kind : {c2c, r2c, c2r})
    on_ranks(4, [&](Comm comm) {
      const Problem p{.shape = {24, 20, 26}, .kind = kind};
      const Whole x = data_of(0, shape_in(p), kind != r2c, 5, false);
      Options o = encoded;
      o.tolerance = 0;
      o.tolerance_absolute = 1;
      const auto b = beside_exact<double>(comm, p, o, x);
      EXPECT_LE(b.error, 1 + 2 * b.arithmetic * b.norm) << to_string(p);
      EXPECT_GT(b.error, 0.01) << "next to nothing was lost: this test tests nothing";
      EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
      o.tolerance_absolute = 0;
      o.tolerance_linf = 1e-3;
      const auto l = beside_exact<double>(comm, p, o, x);
      EXPECT_LE(l.largest_by_rms(), o.tolerance_linf) << to_string(p);
      EXPECT_GT(l.error, 0);
    });
}

TEST(DeviceApproximate, ACodecWithoutAToleranceIsUsedWhateverItLosesAndTheBoundSaysIt) {
  for (const char* codec : {"f32", "f16", "lossless"})
    on_ranks(4, [&](Comm comm) {
      Options o = encoded;
      o.tolerance = 0;
      o.expert.codec = codec;
      const auto b = beside_exact<double>(comm, {.shape = {24, 20, 26}}, o, data_of(0, {24, 20, 26}, true, 5, false));
      EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic) << codec;
      EXPECT_GT(b.loss.bytes_before, 0);
      EXPECT_EQ(b.loss.encoded == 0, std::string(codec) == "lossless");
    });
}

TEST(DeviceApproximate, InfAndNanComeOutWhereTheyWentIn) {
  for (const double spoiler : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    on_ranks(5, [&](Comm comm) {
      Whole x = data_of(0, {9, 10, 14}, true, 11, false);
      x.at({4, 3, 5}) = spoiler;  // axis 0 is not transformed: only one plane of the result is touched
      const auto b = beside_exact<double>(comm, {.shape = {9, 10, 14}, .axes = {1, 2}}, encoded, x);
      EXPECT_TRUE(same_complex_numbers_are_finite(b));
      EXPECT_EQ(b.loss.encoded, 0);
    });
}

TEST(DeviceApproximate, HalfSpectraThatNoRealArrayHasAreDoneAgainExactly) {
  Whole x{{16, 12, 11}, std::vector<Reference>(16 * 12 * 11)};
  for_each(whole(x.shape), [&](const Coord& at) {
    const auto even = [&](Index i, Index n) {
      return std::cos(6.283185307179586 * static_cast<double>(i) / static_cast<double>(n)) + 0.3;
    };
    if (at[2] == 0 || at[2] == 10)
      x.at(at) =
          Reference(0, even(at[0], 16) * even(at[1], 12));  // i times an even function, of which reals have nothing
  });
  x.at({1, 2, 3}) = 1e-6;
  for (const bool in_place : {false, true})
    on_ranks(4, [&](Comm comm) {
      Options o = encoded;
      o.in_place = in_place;
      const auto b = beside_exact<double>(comm, {.shape = {16, 12, 20}, .kind = c2r}, o, x);
      EXPECT_EQ(b.loss.encoded, 0);
      EXPECT_LE(b.relative(), 1e-7);  // of next to nothing
      EXPECT_GT(b.norm, 0);
    });
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
