// Which codec approximate mode takes, on networks of every speed.
#include "planner/decide/encoding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

constexpr double arithmetic = 1e-15;

Machine of_speed(double bytes_per_s) {
  Machine m;
  m.mpi_far.bytes_per_s = bytes_per_s;
  m.measured = true;
  return m;
}

Encoding chosen(const Options& o, double bytes_per_s, Precision precision = f64) {
  return choose_encoding(o, check({.shape = {64, 64, 64}, .precision = precision}), of_speed(bytes_per_s), dry_run(4),
                         precision == f32 ? 1e-7 : arithmetic);
}

// Encoding and decoding take a core 2 x 8 bytes at 8 GB/s of each number: a network that brings it in that time has no
// use for them.
TEST(ChoiceOfCodec, PaysOnlyWhereTheNetworkIsSlowerThanTheCodecs) {
  for (const double e : {1e-2, 1e-3, 1e-6}) {
    for (const double slow : {1e7, 25e6, 125e6, 1.25e9, 3.9e9})
      EXPECT_NE(chosen({.tolerance = e}, slow).codec, nullptr) << e << " at " << slow;
    for (const double fast : {4.1e9, 2e10, 1e12}) {
      const Encoding none = chosen({.tolerance = e}, fast);
      EXPECT_EQ(none.codec, nullptr) << e << " at " << fast;
      EXPECT_NE(none.why.find("does not pay"), std::string::npos) << none.why;
    }
  }
}

TEST(ChoiceOfCodec, TakesTheFewestBitsThatKeepTheToleranceOnASlowNetwork) {
  EXPECT_EQ(chosen({.tolerance = 1e-3}, 25e6).codec, find_codec("block_float"));
  for (double e = 1e-2; e > 1e-12; e /= 3) {
    const Encoding c = chosen({.tolerance = e}, 25e6);
    ASSERT_NE(c.codec, nullptr) << e;
    const double bits = c.codec->usual_bits(Scalar::f64, c.tolerance / 2, false);
    EXPECT_LT(bits, 64);
    EXPECT_GT(bits, std::log2(1 / e)) << e << ": fewer bits than white noise needs";
    for (const char* other : {"f32", "f16"})
      if (!std::isnan(find_codec(other)->parameter(
              Scalar::f64, {.error = c.tolerance / 2, .norm = 1, .values = 1 << 20, .a_priori = true}))) {
        EXPECT_LE(bits, find_codec(other)->usual_bits(Scalar::f64, c.tolerance / 2, false)) << e;
      }
  }
}

TEST(ChoiceOfCodec, IsTheUsersWhereOneWasNamedWhateverTheNetwork) {
  for (const double speed : {1e7, 1e12})
    for (const char* name : {"f32", "mantissa", "lossless"})
      EXPECT_EQ(chosen({.tolerance = 1e-3, .expert = {.codec = name}}, speed).codec, find_codec(name)) << name;
}

// What a codec that cannot keep to its share sends is numbers as they are.
TEST(ChoiceOfCodec, ExpectsBitsUnlessItIsObeyedWhateverItTakes) {
  EXPECT_EQ(chosen({.expert = {.codec = "lossless"}}, 1e7).bits, std::nullopt);
  EXPECT_EQ(chosen({.tolerance = 1e-3, .expert = {.codec = "f32", .encode_near = true}}, 1e7).bits, std::nullopt);
  EXPECT_EQ(chosen({.tolerance = 1e-3, .expert = {.codec = "f32"}}, 1e7).bits, 32);
  EXPECT_EQ(chosen({.tolerance = 1e-9, .expert = {.codec = "f16"}}, 1e7).bits, 64);
  EXPECT_EQ(chosen({.tolerance = 1e-3, .expert = {.codec = "lossless"}}, 1e7).bits, 64);
  EXPECT_LT(chosen({.tolerance = 1e-3}, 1e7).bits, 14);
}

// Half of a complex number's variance lies in each direction of the plane, all of a real one's in one direction. So
// normal numbers exceed the promise with a probability below 1e-9 for all elements together.
TEST(ChoiceOfCodec, LeavesRealsMoreRoomBelowTheLargestErrorThanComplexNumbers) {
  constexpr double largest = 1e-3, elements = 64.0 * 64 * 64;
  for (const Kind kind : {c2c, r2c, c2r}) {
    const Encoding c =
        choose_encoding({.tolerance_linf = largest, .expert = {.codec = "block_float"}},
                        check({.shape = {64, 64, 64}, .kind = kind}), of_speed(1e7), dry_run(4), arithmetic);
    const double deviations = largest / c.tolerance,
                 exceeded = kind == c2c ? std::exp(-deviations * deviations) : std::erfc(deviations / std::sqrt(2.0));
    EXPECT_LE(elements * exceeded, 1e-9) << to_string(kind);
    EXPECT_GT(elements * exceeded, 1e-15) << to_string(kind);
    EXPECT_LT(c.undithered_tolerance, c.tolerance / 10) << to_string(kind);
  }
}

TEST(ChoiceOfCodec, SaysWhyNothingIsEncoded) {
  const CheckedProblem p = check({.shape = {64, 64, 64}});
  EXPECT_EQ(choose_encoding({.tolerance = 1e-3}, p, of_speed(1e7), dry_run(4, 0, 4), arithmetic).why,
            "nothing leaves the node");
  EXPECT_EQ(chosen({.tolerance = 1e-3, .expert = {.codec = "none"}}, 1e7).why, "as asked");
  EXPECT_EQ(chosen({.tolerance = 2e-15}, 1e7).why, "the tolerance is close to the rounding error");
  EXPECT_THROW((void)chosen({.tolerance = 1e-9}, 1e7, f32), Error);
}

// An encoding of arrays of the host that go through a device.
TEST(ChoiceOfFormat, IsTheShortestThatKeepsTheToleranceInAllPassesTogether) {
  const CheckedProblem wide = check({.shape = {64, 64, 64}}), single = check({.shape = {64, 64, 64}, .precision = f32});
  for (const int between : {1, 2, 3})
    for (const auto& [p, own] : {std::pair(wide, arithmetic), {single, 1e-7}})
      for (double e = 0.3; e > 1e-9; e /= 1.7) {
        if (e < own) continue;
        const Encoding c = choose_storage({.tolerance = e}, p, between, own);
        EXPECT_EQ(c.codec, nullptr);
        const double left = 0.99 * (e - own) / between;
        std::optional<StorageFormat> expected;
        if (left >= 1.01 * 0x1p-11)
          expected = StorageFormat::f16;
        else if (left >= 1.01 * 0x1p-24 && p.scalar == Scalar::f64)
          expected = StorageFormat::f32;
        EXPECT_EQ(c.storage, expected) << e << " between " << between;
      }
}

TEST(ChoiceOfFormat, SaysWhyNothingIsShorter) {
  const CheckedProblem p = check({.shape = {64, 64, 64}});
  EXPECT_EQ(choose_storage({.tolerance = 1e-3}, p, 0, arithmetic).why, "one sweep does all");
  EXPECT_EQ(choose_storage({.tolerance = 1e-3, .expert = {.codec = "none"}}, p, 2, arithmetic).why, "as asked");
  EXPECT_EQ(choose_storage({.tolerance = 1e-9}, p, 2, arithmetic).why, "no shorter format keeps the tolerance");
  EXPECT_EQ(choose_storage({.tolerance = 1e-9, .expert = {.codec = "f32"}}, p, 2, arithmetic).why,
            "f32 loses more than the tolerance");
  EXPECT_EQ(choose_storage({.tolerance = 1e-2, .expert = {.codec = "f32"}}, p, 2, arithmetic).storage,
            StorageFormat::f32);
  EXPECT_EQ(choose_storage({.expert = {.codec = "f16"}}, p, 2, arithmetic).storage, StorageFormat::f16);
  EXPECT_EQ(choose_storage({}, p, 2, arithmetic).storage, std::nullopt);
  const CheckedProblem huge =
      check({.shape = {8192, 8192, 8192}});  // 2^40 numbers: too many for what f16 has below its normal numbers
  EXPECT_EQ(choose_storage({.tolerance = 1e-2}, huge, 2, arithmetic).storage, StorageFormat::f32);
  EXPECT_THROW((void)choose_storage({.expert = {.codec = "zfp"}}, p, 2, arithmetic), Error);
  EXPECT_THROW((void)choose_storage({.tolerance = 1e-17}, p, 2, arithmetic), Error);
}

}  // namespace
}  // namespace shardfft::testing
