#include <gtest/gtest.h>

#include <iostream>

#include "engine/targets.hpp"
#include "judged.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

using namespace testing;

std::vector<Verified> probe_cases() {
  std::vector<Verified> all;
  const std::vector<std::pair<Shape, std::vector<int>>> shapes = {{{1}, {0}},
                                                                  {{2}, {0}},
                                                                  {{17}, {0}},
                                                                  {{37}, {0}},
                                                                  {{48}, {0}},
                                                                  {{9, 10}, {0, 1}},
                                                                  {{10, 9}, {1, 0}},
                                                                  {{5, 8, 3}, {2}},
                                                                  {{5, 8, 3}, {0}},
                                                                  {{8, 6, 7}, {0, 1, 2}},
                                                                  {{4, 1, 6}, {0, 1, 2}},
                                                                  {{3, 4, 5, 2}, {1, 3}},
                                                                  {{4, 3, 2, 5}, {0, 1, 2, 3}}};
  for (const auto& [shape, axes] : shapes)
    for (const Precision p : {f32, f64}) {
      all.push_back({{shape, axes, -1, false, 1.0}, true, p});
      all.push_back({{shape, axes, +1, false, 1.0 / 7}, true, p});
      all.push_back({{shape, axes, -1, true, 0.5}, false, p});
      all.push_back({{shape, axes, +1, true, 1.0 / static_cast<double>(product(shape))}, true, p});
    }
  return all;
}

TEST(Verify, FindsOnlyTheRoundingOfTheStoredNumbersInExactResultsWhateverKindShapeAndDistribution) {
  std::mt19937_64 random(20240601);
  std::cout << "seed 20240601\n";
  for (const Verified& c : probe_cases()) {
    const Global in = random_array(input_shape(c), c.complex_in, c.precision, random);
    const Global out = rounded(transformed(in, c.spec), c.precision);
    for (const int ranks : {1, 3}) {
      const Verdict v = judged(c, in, out, ranks, random());
      EXPECT_LT(v.error_rel_l2, 1.5 * unit(c.precision)) << c << " on " << ranks << " ranks";
      EXPECT_TRUE(v.ok()) << c;
    }
  }
}

std::vector<Verified> medium_cases() {
  const Shape shape{9, 8, 10};
  std::vector<Verified> all;
  for (const Precision p : {f32, f64}) {
    all.push_back({{shape, {0, 1, 2}, -1, false, 1.0}, true, p});
    all.push_back({{shape, {2, 0}, -1, true, 1.0}, false, p});
    all.push_back({{shape, {0, 1, 2}, +1, true, 0.25}, true, p});
  }
  return all;
}

TEST(Verify, EstimatesTheTrueErrorWithinAFactorOfThree) {
  for (const Verified& c : medium_cases())
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      std::mt19937_64 random(seed);
      // A Hermitian spectrum for half spectra in: the error is relative to the norm that such a spectrum gives.
      const Global full = random_array(c.spec.shape, !c.spec.real, c.precision, random);
      const TransformSpec to_half{c.spec.shape, c.spec.axes, -1, true, 1.0};
      const Global in = c.spec.real && c.complex_in ? rounded(transformed(full, to_half), c.precision) : full;
      const Global exact = transformed(in, c.spec);
      Global out = exact;
      const double size = 1000 * unit(c.precision) * static_cast<double>(norm(exact)) /
                          std::sqrt(static_cast<double>(exact.values.size()));
      std::normal_distribution<double> noise(0, size);
      for (Wide& z : out.values) z += Wide(noise(random), out.complex ? noise(random) : 0.0);
      out = rounded(out, c.precision);
      const double truth = relative_difference(out, exact), estimate = judged(c, in, out, 2, seed).error_rel_l2;
      EXPECT_GT(estimate, truth / 3) << c << " seed " << seed;
      EXPECT_LT(estimate, truth * 3) << c << " seed " << seed;
    }
}

TEST(Verify, MeasuresTheChangeOfOneElementByATrillionthOfTheNorm) {
  const Verified c{{{9, 8, 10}, {0, 1, 2}, -1, false, 1.0}, true, f64};
  std::mt19937_64 random(5);
  const Global in = random_array(c.spec.shape, true, f64, random), exact = transformed(in, c.spec);
  Global out = exact;
  out.values[137] += 1e-12L * norm(exact);
  const Verdict v = judged(c, in, rounded(out, f64), 3, 5);
  EXPECT_NEAR(v.error_rel_l2, 1e-12, 1e-15);
  EXPECT_FALSE(v.ok());
}

/// Ways to be wrong, as changes of a right result.
TEST(Verify, RejectsSwappedElementsAMissingScaleAWrongSignAndConjugates) {
  for (Verified c : medium_cases()) {
    c.spec.scale = 0.25;
    std::mt19937_64 random(8);
    const Global in = random_array(input_shape(c), c.complex_in, c.precision, random);
    const Global right = rounded(transformed(in, c.spec), c.precision);
    EXPECT_TRUE(judged(c, in, right, 2, 9).ok()) << c;

    Global swapped = right;
    std::swap(swapped.values[3], swapped.values[4]);
    EXPECT_FALSE(judged(c, in, swapped, 2, 9).ok()) << c;
    Global unscaled = right;
    for (Wide& z : unscaled.values) z *= 4;
    EXPECT_FALSE(judged(c, in, unscaled, 2, 9).ok()) << c;
    TransformSpec other = c.spec;
    other.sign = -other.sign;
    EXPECT_FALSE(judged(c, in, rounded(transformed(in, other), c.precision), 2, 9).ok()) << c;
    if (!right.complex) continue;
    Global conjugate = right;
    for (Wide& z : conjugate.values) z = std::conj(z);
    EXPECT_FALSE(judged(c, in, conjugate, 2, 9).ok()) << c;
  }
}

TEST(Verify, SeesTwoSwappedElementsWithEveryOfAHundredSeeds) {
  const Verified c{{{6, 5, 4}, {0, 1, 2}, -1, false, 1.0}, true, f64};
  std::mt19937_64 random(3);
  const Global in = random_array(c.spec.shape, true, f64, random);
  Global out = rounded(transformed(in, c.spec), f64);
  std::swap(out.values[10], out.values[11]);
  for (std::uint64_t seed = 0; seed < 100; ++seed) EXPECT_FALSE(judged(c, in, out, 1, seed).ok()) << seed;
}

TEST(Verify, GivesNanForNanOrInfinityInEitherArray) {
  for (const double poison : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Verified& c : medium_cases()) {
      std::mt19937_64 random(4);
      const Global in = random_array(input_shape(c), c.complex_in, c.precision, random);
      const Global out = rounded(transformed(in, c.spec), c.precision);
      Global bad_in = in, bad_out = out;
      bad_in.values[7] = Wide(poison, 0), bad_out.values[11] = Wide(poison, 0);
      for (const Verdict v : {judged(c, bad_in, out, 3, 1), judged(c, in, bad_out, 3, 1)}) {
        EXPECT_TRUE(std::isnan(v.error_rel_l2)) << c;
        EXPECT_FALSE(v.ok());
      }
    }
}

TEST(Verify, WorksNearTheLimitsOfTheRangeOfDoubles) {
  const Verified c{{{6, 5, 4}, {0, 1, 2}, -1, false, 1.0}, true, f64};
  for (const int exponent : {1000, -1000}) {
    std::mt19937_64 random(6);
    Global in = random_array(c.spec.shape, true, f64, random);
    for (Wide& z : in.values) z = {std::ldexp(z.real(), exponent), std::ldexp(z.imag(), exponent)};
    Global out = rounded(transformed(in, c.spec), f64);
    EXPECT_TRUE(judged(c, in, out, 2, 1).ok());
    std::swap(out.values[10], out.values[11]);
    EXPECT_FALSE(judged(c, in, out, 2, 1).ok());
  }
}

TEST(Verify, AcceptsZeroForZeroAndNothingElse) {
  for (const Verified& c : medium_cases()) {
    Global in{input_shape(c), c.complex_in, {}};
    in.values.resize(static_cast<std::size_t>(product(in.shape)));
    Global out = transformed(in, c.spec);
    EXPECT_EQ(judged(c, in, out, 2, 1).error_rel_l2, 0) << c;
    out.values[5] = 1e-30L;
    EXPECT_FALSE(judged(c, in, out, 2, 1).ok()) << c;
  }
}

// The norm of the exact half spectrum is not known, that of a wrong one may be anything.
TEST(Verify, MeasuresHalfSpectraThatAreFarTooLargeOrNothingByTheNormOfTheExactOne) {
  for (const Precision precision : {f32, f64}) {
    const Verified c{{{9, 8, 10}, {0, 1, 2}, -1, true, 0.5}, false, precision};
    std::mt19937_64 random(7);
    const Global in = random_array(input_shape(c), c.complex_in, precision, random);
    const Global exact = rounded(transformed(in, c.spec), precision);
    for (const double factor : {0.0, 0.01, 2.0, 1000.0}) {
      Global out = exact;
      for (auto& value : out.values) value *= factor;
      const double error = judged(c, in, rounded(out, precision), 2, 1).error_rel_l2, true_error = std::abs(factor - 1);
      EXPECT_GT(error, true_error / 3) << factor;
      EXPECT_LT(error, true_error * 3) << factor;
    }
  }
}

TEST(Verify, GivesTheSameVerdictWithEveryInstructionSet) {
  for (const Verified& c : medium_cases()) {
    std::mt19937_64 random(2);
    const Global in = random_array(input_shape(c), c.complex_in, c.precision, random),
                 out = rounded(transformed(in, c.spec), c.precision);
    const double expected = judged(c, in, out, 2, 1).error_rel_l2;
    on_every_target([&] {
      EXPECT_NEAR(judged(c, in, out, 2, 1).error_rel_l2 / expected, 1, c.precision == f32 ? 1e-6 : 1e-9) << c;
    });
  }
}

TEST(Verify, DependsOnTheSeedAndNotOnTheDistribution) {
  const Verified c{{{9, 8, 10}, {0, 1, 2}, -1, false, 1.0}, true, f64};
  std::mt19937_64 random(7);
  const Global in = random_array(c.spec.shape, true, f64, random), out = rounded(transformed(in, c.spec), f64);
  const auto error = [&](int ranks, std::uint64_t boxes_seed, std::uint64_t seed) {
    std::mt19937_64 cutting(boxes_seed);
    const auto boxes = random_boxes(in.shape, ranks, 6, cutting);
    double found = 0;
    on_ranks(ranks, [&](const Comm& comm) {
      const auto me = static_cast<std::size_t>(comm.rank());
      std::mt19937_64 mine(boxes_seed + me);
      const LocalPart x = local_part(in, boxes[me], f64, mine), y = local_part(out, boxes[me], f64, mine);
      const Verdict v = verify(comm, x.array, y.array, c.spec, 8, seed);
      if (comm.rank() == 0) found = v.error_rel_l2;
    });
    return found;
  };
  EXPECT_EQ(error(3, 1, 1), error(3, 1, 1));
  EXPECT_NEAR(error(4, 2, 1) / error(1, 3, 1), 1, 1e-9);
  EXPECT_NE(error(1, 3, 1), error(1, 3, 2));
}

TEST(Verify, RefusesToJudgeWithoutProbes) {
  const Verified c{{{4}, {0}, -1, false, 1.0}, true, f64};
  std::mt19937_64 random(7);
  const Global in = random_array(c.spec.shape, true, f64, random);
  EXPECT_THROW(judged(c, in, in, 1, 1, 0), Error);
}

}  // namespace
}  // namespace shardfft
