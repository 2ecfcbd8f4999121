// Arrays of the host that go through a device with a tolerance: what two sweeps hand on lies in a shorter format. The
// definition of the transform, and exact results of the host, are the measure.
#include <array>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "plan/approximate/kept_promise.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

Approximation through_device(Approximation a, std::uint64_t seed) {
  std::mt19937_64 random(seed * 31 + 1);
  const auto any_of = [&](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
  Options& o = a.c.options;
  const bool single = a.c.problem.precision == f32;
  o.device = space();
  o.arrays = "host";
  o.expert.engine = o.expert.transport = "";
  o.expert.fuse = any_of(1, 1, 1, 2);
  o.expert.tile = any_of(0, 0, 1, 3, 16, 1000);
  o.expert.chunks = any_of(0, 1, 2, 3);
  o.expert.non_temporal = NonTemporal::automatic;
  o.expert.codec = any_of("", "", "", "f16", single ? "none" : "f32");
  o.tolerance = std::pow(10.0, single ? any_of(-1.5, -2.5, -4.0) : any_of(-1.5, -2.5, -5.0, -6.5, -8.0));
  return a;
}

std::string narrow_text(const Approximation& a) {
  const Options& o = a.c.options;
  return fmt::format("{}; tile {}, chunks {}, fuse {}, codec '{}'", to_string(a), o.expert.tile, o.expert.chunks,
                     o.expert.fuse, o.expert.codec);
}

TEST(DeviceNarrow, TheErrorNeverExceedsTheBoundNorTheBoundTheTolerance) {
  keep_the_promise(
      150, [](std::uint64_t seed) { return through_device(random_approximation(seed, 1, 2000, 5), seed); }, narrow_text,
      [](auto&&... all) { run(all...); });
}

const Options narrow{.tolerance = 1e-6, .threads = 1, .device = space(), .arrays = "host", .expert = {.fuse = 1}};

Whole sized_input(const Problem& p, double size) {
  Problem forward = p;
  forward.kind = r2c;
  forward.axes = {0, 1, 2};
  Whole x = data_of(0, p.shape, p.kind == c2c, 5, false);
  for (Reference& v : x.values) v *= size;
  return p.kind == c2r ? transformed(forward, x, Direction::forward) : x;
}

// Sizes that f32 and f16 do not have are no hindrance; each kind of bytes is counted on the way.
TEST(DeviceNarrow, HalvesAndQuartersWhatGoesOverTheLinkBetweenSweepsAndCountsIt) {
  for (const Kind kind : {c2c, r2c, c2r})
    for (const auto& [tolerance, bytes] : {std::pair(1e-6, 8), {1e-2, 4}, {0.0, 16}})
      for (const double size : {1.0, 1e60, 1e-60}) {
        const Problem p{.shape = {12, 14, 22}, .kind = kind, .axes = {0, 1, 2}};
        Options o = narrow;
        o.tolerance = tolerance;
        Plan plan(local(), p, o);
        const Whole x = sized_input(p, size);
        LocalData<double> in(packed_memory(plan.input(), 0), kind != r2c),
            out(packed_memory(plan.output(), 0), kind != c2r);
        in.fill(x);
        run(plan, Direction::forward, false, in, out);
        const Index middle = product(kind == c2c ? p.shape : Shape{12, 14, 12}) * bytes;
        std::vector<Index> link;
        for (const StepReport& step : plan.last_run())
          if (step.label.starts_with("sweep")) link.push_back(step.bytes_link);
        const auto given = static_cast<Index>(plan.input_bytes()), made = static_cast<Index>(plan.output_bytes());
        EXPECT_EQ(link, (std::vector<Index>{given + middle, 2 * middle, middle + made}))
            << to_string(p) << " " << tolerance << " " << size;
        EXPECT_EQ(plan.loss().encoded > 0, tolerance > 0);
        EXPECT_LE(relative(plan.comm(), out.compare(transformed(p, x, Direction::forward), 1)), plan.error_bound());
        if (tolerance == 0) continue;
        EXPECT_LE(plan.error_bound(), tolerance);
        EXPECT_EQ(plan.loss().bits, 4 * bytes);
      }
}

TEST(DeviceNarrow, HalvesWhatRanksStoreAtEachOther) {
  on_ranks(4, [](Comm comm) {
    const auto stored = [&](double tolerance) {
      Options o = narrow;
      o.input = bricks(), o.output = pencils(0);  // first and last copies are the caller's numbers
      o.expert.ranks_grid = {2, 2};
      o.tolerance = tolerance;
      Plan plan(comm, {.shape = {16, 12, 20}}, o);
      Array in = plan.make_input(), out = plan.make_output();
      std::fill_n(in.as<double>().data(), in.as<double>().size(), 1.0);
      plan.forward(in, out);
      Index between = 0;
      const std::vector<StepReport>& steps = plan.last_run();
      for (std::size_t i = 1; i + 1 < steps.size(); ++i)
        if (steps[i].label.starts_with("exchange") && steps[i - 1].label.starts_with("sweep") &&
            steps[i + 1].label.starts_with("sweep"))
          between += steps[i].bytes_shared;
      return between;
    };
    const Index exact = stored(0);
    EXPECT_GT(exact, 0);
    EXPECT_EQ(2 * stored(1e-6), exact);
    EXPECT_EQ(4 * stored(1e-2), exact);
  });
}

TEST(DeviceNarrow, TellsItsLossAlikeOnEveryRankUnderEveryGuarantee) {
  for (const char* guarantee : {"certified", "worst", "statistical"})
    for (const Kind kind : {c2c, r2c, c2r})
      on_ranks(3, [&](Comm comm) {
        const Problem p{.shape = {30, 21, 26}, .kind = kind};
        Options o = narrow;
        o.input = bricks(), o.output = pencils(0);
        o.guarantee = guarantee;
        const auto b = beside_exact<double>(comm, p, o, sized_input(p, 1));
        EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic) << to_string(p) << " " << guarantee;
        EXPECT_LE(b.loss.bound, o.tolerance);
        EXPECT_GT(b.relative(), 1e-9) << "next to nothing was lost: this test tests nothing";
        EXPECT_EQ(b.loss.bits, 32);
      });
}

TEST(DeviceNarrow, AFormatWithoutAToleranceIsUsedWhateverItLosesAndTheBoundSaysIt) {
  for (const char* codec : {"f32", "f16"})
    for (const Kind kind : {c2c, r2c, c2r})
      on_ranks(2, [&](Comm comm) {
        Options o = narrow;
        o.input = bricks(), o.output = pencils(0);
        o.tolerance = 0;
        o.expert.codec = codec;
        const Problem p{.shape = {24, 20, 26}, .kind = kind};
        const auto b = beside_exact<double>(comm, p, o, sized_input(p, 1));
        EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic) << codec << " " << to_string(p);
        EXPECT_GT(b.loss.encoded, 0);
        EXPECT_EQ(b.loss.bits, std::string(codec) == "f32" ? 32 : 16);
      });
}

// An input whose norm does not tell loses nothing.
TEST(DeviceNarrow, InfAndNanComeOutWhereTheyWentInAndWhatHasNoNormIsExact) {
  for (const double spoiler :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e200})
    on_ranks(3, [&](Comm comm) {
      Options o = narrow;
      o.input = bricks(), o.output = pencils(1);
      Whole x = data_of(0, {9, 10, 14}, true, 11, false);
      x.at({4, 3, 5}) = spoiler;  // axis 0 is not transformed: only one plane of the result is touched
      const auto b = beside_exact<double>(comm, {.shape = {9, 10, 14}, .axes = {1, 2}}, o, x);
      EXPECT_TRUE(same_complex_numbers_are_finite(b));
      EXPECT_EQ(b.loss.encoded, 0);
    });
  for (const int data : {7, 10}) {  // denormal, zeros
    const auto b =
        beside_exact<double>(local(), {.shape = {9, 10, 14}}, narrow, data_of(data, {9, 10, 14}, true, 11, false));
    EXPECT_EQ(b.loss.encoded, 0);
    EXPECT_LE(b.error, 1e-12 * b.norm);
  }
}

// i times an even function, of which reals have nothing, in the planes 0 and n/2.
Whole half_spectrum_of_no_reals() {
  Whole x{{16, 12, 11}, std::vector<Reference>(16 * 12 * 11)};
  for_each(whole(x.shape), [&](const Coord& at) {
    const auto even = [&](Index i, Index n) {
      return std::cos(6.283185307179586 * static_cast<double>(i) / static_cast<double>(n)) + 0.3;
    };
    if (at[2] == 0 || at[2] == 10) x.at(at) = Reference(0, even(at[0], 16) * even(at[1], 12));
  });
  return x;
}

TEST(DeviceNarrow, HalfSpectraThatNoRealArrayHasAreDoneAgainExactly) {
  Whole x = half_spectrum_of_no_reals();
  x.at({1, 2, 3}) = 1e-6;
  for (const bool in_place : {false, true})
    on_ranks(3, [&](Comm comm) {
      Options o = narrow;
      o.input = bricks(), o.output = pencils(0);
      o.in_place = in_place;
      const auto b = beside_exact<double>(comm, {.shape = {16, 12, 20}, .kind = c2r}, o, x);
      EXPECT_EQ(b.loss.encoded, 0);
      EXPECT_LE(b.relative(), 1e-7);  // of next to nothing
      EXPECT_GT(b.norm, 0);
    });
}

// What is lost is as large as the spectrum lets expect, the reals are a hundredth of that.
TEST(DeviceNarrow, ANamedFormatLosesNoMoreThanItSaysOfHalfSpectraThatNoRealArrayHas) {
  Whole x = half_spectrum_of_no_reals();
  const Whole little = data_of(0, x.shape, true, 3, false);
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += Reference(1e-3) * little.values[i];
  for (const bool in_place : {false, true})
    on_ranks(3, [&](Comm comm) {
      Options o = narrow;
      o.input = bricks(), o.output = pencils(0);
      o.in_place = in_place;
      o.tolerance = 0, o.expert.codec = "f32";
      const auto b = beside_exact<double>(comm, {.shape = {16, 12, 20}, .kind = c2r}, o, x);
      EXPECT_GT(b.loss.encoded, 0);
      EXPECT_LE(b.relative(), b.loss.bound);
      EXPECT_LT(b.loss.bound, 1e-2);
    });
}

TEST(DeviceNarrow, SaysWhatIsNarrowAndWhyNothingIs) {
  const auto described = [](const Problem& p, Options o) { return Plan(local(), p, o).describe(); };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  Options o = narrow;
  has(described({.shape = {8, 9, 10}}, o), "codec f32 between sweeps, certified");
  has(described({.shape = {8, 9, 10}}, o), "5.6 KiB instead of 11.2 KiB");
  o.tolerance = 1e-2;
  has(described({.shape = {8, 9, 10}}, o), "codec f16 between sweeps");
  o.tolerance = 1e-9;
  has(described({.shape = {8, 9, 10}}, o), "none (no shorter format keeps the tolerance)");
  o.expert.codec = "f16", o.tolerance = 1e-5;
  has(described({.shape = {8, 9, 10}}, o), "none (f16 loses more than the tolerance)");
  o.expert.codec = "", o.expert.fuse = 3;
  has(described({.shape = {8, 9, 10}}, o), "none (one sweep does all)");
  o.expert.fuse = 1, o.tolerance = 0, o.tolerance_absolute = 1;
  has(described({.shape = {8, 9, 10}}, o), "and the tolerance is absolute");
}

TEST(DeviceNarrow, RefusesFormatsThatItDoesNotHave) {
  const auto refused = [](Options options, Precision precision = f64) {
    options.device = "emulated";
    options.arrays = "host";
    return thrown([&] { Plan(local(), {.shape = {8, 8}, .precision = precision}, options); });
  };
  EXPECT_NE(refused({.expert = {.codec = "block_float"}}).find("one of none, f32, f16"), std::string::npos);
  EXPECT_NE(refused({.expert = {.codec = "f32"}}, f32).find("makes nothing shorter"), std::string::npos);
  EXPECT_NE(refused({.tolerance = 1e-17}).find("at least what arithmetic"), std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
