// Approximate mode with arrays of the host, in memory of a device, and of the host through a device, where two sweeps
// hand on shorter numbers. The definition of the transform, and exact results of the host, are the measure.
//
// SHARDFFT_TEST_PROBLEMS says how many random problems there are (docs/approximate.md: 10,000), and has the test tell
// how near error and bound came to what they must not exceed.
#include <array>
#include <limits>

#include <fmt/format.h>

#include "plan/approximate/kept_promise.hpp"
#include "plan/device/device_plan_case.hpp"

namespace shardfft::testing {
namespace {

bool is_through(const Where& where) { return where.arrays && std::string_view(where.arrays) == "host"; }

// Codecs and tolerances that there are.
Approximation placed(Approximation a, const Where& where, std::uint64_t seed) {
  std::mt19937_64 random(seed * 31 + 1);
  const auto any_of = [&](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
  if (!where.arrays) return a;
  a.c = on_device(a.c, random, where.arrays);
  Options& o = a.c.options;
  const bool single = a.c.problem.precision == f32;
  if (!o.expert.engine.empty()) a.factor = 1;
  if (is_through(where)) {
    o.expert.fuse = any_of(1, 1, 1, 2);
    o.expert.codec = any_of("", "", "", "f16", single ? "none" : "f32");
    o.tolerance = std::pow(10.0, single ? any_of(-1.5, -2.5, -4.0) : any_of(-1.5, -2.5, -5.0, -6.5, -8.0));
    return a;
  }
  if (o.expert.codec == "mantissa" || o.expert.codec == "zfp") o.expert.codec.clear();
  if (!single && random() % 3 > 0) o.tolerance = std::max(o.tolerance, 1e-10);
  return a;
}

std::string text_of(const Approximation& a) {
  const auto& e = a.c.options.expert;
  return fmt::format("{}; engine '{}', transport '{}', tile {}, chunks {}, fuse {}, streams {}, codec '{}'",
                     to_string(a), e.engine, e.transport, e.tile, e.chunks, e.fuse, e.streams, e.codec);
}

class RandomApproximations : public ::testing::TestWithParam<std::tuple<Where, bool>> {};

TEST_P(RandomApproximations, TheErrorNeverExceedsTheBoundNorTheBoundTheTolerance) {
  const auto& [where, fewer] = GetParam();
  const int problems = !where.arrays || is_through(where) ? 150 : 80;
  keep_the_promise(
      fewer ? problems / 2 : problems,
      [&](std::uint64_t seed) {
        const Index most = where.arrays ? 2000 : 3000;
        Approximation a =
            placed(random_approximation(seed, 1, most, is_through(where) ? 5 : where.most_ranks), where, seed);
        std::mt19937_64 random(seed);
        if (fewer) take_fewer(a.c, random);
        return a;
      },
      text_of, [&](auto&&... all) { where.arrays && !is_through(where) ? run_on_device(all...) : run(all...); });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomApproximations,
                         ::testing::Combine(::testing::ValuesIn(places()), ::testing::Bool()), [](const auto& one) {
                           return fmt::format("{}{}", std::get<0>(one.param).name,
                                              std::get<1>(one.param) ? "_fewer" : "");
                         });

// Half spectra are those of reals: others are done again, exactly.
Whole input_of(const Problem& p, int data) {
  if (p.kind != c2r) return data_of(data, p.shape, p.kind == c2c, 5, false);
  Problem forward = p;
  forward.kind = r2c;
  forward.axes = {0, 1, 2};
  return transformed(forward, data_of(data, p.shape, false, 5, false), Direction::forward);
}

class ApproximatePlaces : public ::testing::TestWithParam<Where> {
 protected:
  [[nodiscard]] static bool on_host() { return !GetParam().arrays; }
  /// Exchanges are encoded; through a device, numbers between sweeps.
  [[nodiscard]] static Options encoded() {
    Options o{.input = bricks(),
              .output = pencils(0),
              .tolerance = 1e-3,
              .threads = 1,
              .expert = {.encode_near = !is_through(GetParam())}};
    if (on_host()) return o;
    o.device = space(), o.arrays = GetParam().arrays;
    if (is_through(GetParam())) o.tolerance = 1e-6, o.expert.fuse = 1;
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Places, ApproximatePlaces, ::testing::ValuesIn(places()),
                         [](const auto& one) { return std::string(one.param.name); });

// So many numbers that exchanges are dithered where that was asked for.
TEST_P(ApproximatePlaces, EveryGuaranteeHoldsOnArraysWhoseExchangesAreDithered) {
  Sample sample;
  for (const Kind kind : {c2c, r2c, c2r})
    for (const char* guarantee : {"certified", "worst", "statistical"})
      for (const int data : {0, 5, 13}) {
        if ((is_through(GetParam()) && data != 0) || !sample.takes()) continue;
        const Problem p{.shape = {40, 36, 44}, .kind = kind};
        const Whole x = input_of(p, data);
        SCOPED_TRACE(fmt::format("{} {} {}", to_string(p), guarantee, kinds_of_data[data]));
        on_ranks(4, [&](Comm comm) {
          Options o = encoded();
          o.guarantee = guarantee;
          const auto b = beside_exact<double>(comm, p, o, x);
          EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
          EXPECT_LE(b.loss.bound, o.tolerance);
          EXPECT_GT(b.relative(), 1e-9) << "next to nothing was lost: this test tests nothing";
          EXPECT_GT(b.loss.encoded, 0);
          EXPECT_LE(b.loss.bits, 32);
        });
      }
}

TEST_P(ApproximatePlaces, AnAbsoluteToleranceBoundsTheNormOfTheErrorAndALargestErrorEveryElement) {
  Sample sample;
  for (const Kind kind : {c2c, r2c, c2r})
    for (const double tolerance : {1e-6, 1.0, 1e3})
      for (const char* guarantee : {"certified", "worst", "statistical"}) {
        if ((!on_host() && tolerance != 1) || !sample.takes()) continue;
        on_ranks(4, [&](Comm comm) {
          const Problem p{.shape = {24, 20, 26}, .kind = kind};
          SCOPED_TRACE(fmt::format("{} {} {}", to_string(p), guarantee, tolerance));
          const Whole x = input_of(p, 0);
          Options o = encoded();
          o.guarantee = guarantee;
          o.tolerance = 0;
          o.tolerance_absolute = tolerance;
          const auto b = beside_exact<double>(comm, p, o, x);
          EXPECT_LE(b.error, tolerance + 2 * b.arithmetic * b.norm);
          if (is_through(GetParam()))
            EXPECT_EQ(b.loss.encoded, 0) << "losses of shorter numbers are known relative to the data only";
          else
            EXPECT_GT(b.error, tolerance / 100) << "next to nothing was lost: this test tests nothing";
          EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
          if (tolerance != 1) return;
          o.tolerance_absolute = 0;
          o.tolerance_linf = 1e-3;
          const auto l = beside_exact<double>(comm, p, o, x);
          EXPECT_LE(l.largest_by_rms(), o.tolerance_linf);
          if (!is_through(GetParam())) { EXPECT_GT(l.error, 0); }
        });
      }
}

TEST_P(ApproximatePlaces, ACodecWithoutAToleranceIsUsedWhateverItLosesAndTheBoundSaysIt) {
  std::vector<const char*> codecs{"f32", "f16"};
  if (!is_through(GetParam())) codecs.push_back("lossless");
  if (on_host()) codecs.insert(codecs.end(), {"mantissa:20", "mantissa:4"});
  for (const Kind kind : {c2c, r2c, c2r})
    for (const std::string codec : codecs)
      on_ranks(4, [&](Comm comm) {
        const Problem p{.shape = {24, 20, 26}, .kind = kind};
        SCOPED_TRACE(to_string(p) + " " + codec);
        Options o = encoded();
        o.tolerance = 0;
        o.expert.codec = codec;
        const auto b = beside_exact<double>(comm, p, o, input_of(p, 0));
        EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic);
        EXPECT_GT(b.loss.bytes_before, 0);
        EXPECT_EQ(b.loss.encoded == 0, codec == "lossless");
        if (codec[0] == 'f') { EXPECT_NEAR(b.loss.bits, codec == "f16" ? 16 : 32, is_through(GetParam()) ? 0 : 4); }
      });
}

// An input whose norm does not tell loses nothing.
TEST_P(ApproximatePlaces, InfAndNanComeOutWhereTheyWentInAndWhatHasNoNormIsExact) {
  const Shape shape{9, 10, 14};
  for (const double spoiler :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e200})
    on_ranks(5, [&](Comm comm) {
      Whole x = data_of(0, shape, true, 11, false);
      x.at({4, 3, 5}) = spoiler;  // axis 0 is not transformed: only one plane of the result is touched
      const auto b = beside_exact<double>(comm, {.shape = shape, .axes = {1, 2}}, encoded(), x);
      EXPECT_TRUE(same_complex_numbers_are_finite(b)) << spoiler;
      if (!on_host() || std::isfinite(spoiler)) { EXPECT_EQ(b.loss.encoded, 0) << spoiler; }
    });
  for (const int data : {7, 10})  // denormal, zeros
    on_ranks(3, [&](Comm comm) {
      const auto b = beside_exact<double>(comm, {.shape = shape}, encoded(), data_of(data, shape, true, 11, false));
      EXPECT_EQ(b.loss.encoded, 0) << kinds_of_data[data];
      EXPECT_LE(b.error, 1e-12 * b.norm) << kinds_of_data[data];
    });
}

// i times an even function, of which reals have nothing, in the planes 0 and n/2.
Whole half_spectrum_of_no_reals() {
  Whole x{{16, 12, 11}, std::vector<Reference>(16 * 12 * 11)};
  for_each(whole(x.shape), [&](const Coord& at) {
    const auto even = [&](Index i, Index n) {
      return std::cos(6.2831853071795864769L * static_cast<long double>(i) / static_cast<long double>(n)) + 0.3L;
    };
    if (at[2] == 0 || at[2] == 10) x.at(at) = Reference(0, static_cast<double>(even(at[0], 16) * even(at[1], 12)));
  });
  return x;
}

// In place the input is gone when it shows: half spectra are never encoded there.
TEST_P(ApproximatePlaces, HalfSpectraThatNoRealArrayHasAreDoneAgainExactly) {
  Whole x = half_spectrum_of_no_reals();
  x.at({1, 2, 3}) = 1e-6;
  for (const char* guarantee : {"certified", "worst", "statistical"})
    for (const bool in_place : {false, true})
      for (const bool split : {false, true}) {
        if (split && (in_place || !on_host())) continue;
        on_ranks(4, [&](Comm comm) {
          Options o = encoded();
          o.guarantee = guarantee;
          o.in_place = in_place;
          const auto b =
              beside_exact<double>(comm, {.shape = {16, 12, 20}, .kind = c2r}, o, x, Direction::forward, split);
          EXPECT_EQ(b.loss.encoded, 0) << guarantee;
          EXPECT_LE(b.relative(), 1e-7) << guarantee;  // of next to nothing
          EXPECT_GT(b.norm, 0);
          if (on_host()) { EXPECT_TRUE(same_bits(b)) << guarantee; }
        });
      }
}

// What is lost is as large as the spectrum lets expect, the reals are a hundredth of that.
TEST_P(ApproximatePlaces, ANamedCodecLosesNoMoreThanItSaysOfHalfSpectraThatNoRealArrayHas) {
  Whole x = half_spectrum_of_no_reals();
  const Whole little = data_of(0, x.shape, true, 3, false);
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += Reference(1e-3) * little.values[i];
  for (const Kind kind : {c2r, r2c})
    for (const bool in_place : {false, true})
      for (const char* codec : {"f32", "mantissa:20"}) {
        if (!on_host() && std::string_view(codec) != "f32") continue;
        on_ranks(4, [&](Comm comm) {
          Options o = encoded();
          o.in_place = in_place;
          o.tolerance = 0;
          o.expert.codec = codec;
          const auto b = beside_exact<double>(comm, {.shape = {16, 12, 20}, .kind = kind}, o, x,
                                              kind == c2r ? Direction::forward : Direction::backward);
          EXPECT_GT(b.loss.encoded, 0) << codec;
          EXPECT_LE(b.relative(), b.loss.bound) << codec;
          EXPECT_LT(b.loss.bound, 1e-2) << codec;
        });
      }
}

}  // namespace
}  // namespace shardfft::testing
