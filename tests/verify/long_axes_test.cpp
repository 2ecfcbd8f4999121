// Verdicts and samples where an axis is too long for tables of its own.
#include <gtest/gtest.h>

#include "judged.hpp"
#include "plain_fft.hpp"
#include "support/chosen.hpp"
#include "verify/weights.hpp"

namespace shardfft {
namespace {

using namespace testing;

constexpr Index prime = 65537, round_length = 98304, twice_a_prime = 2 * 32771;

/// y_k = sum of x_j e^(2 pi i sign jk/n), in long double.
std::vector<Wide> long_fft(std::vector<Wide> x, int sign) {
  for (Wide& z : x) z = sign > 0 ? std::conj(z) : z;
  const auto n = static_cast<Index>(x.size());
  std::vector<Wide> y = n == round_length || n < 100 ? PlainFft<long double>(n)(x) : bluestein(x);
  for (Wide& z : y) z = sign > 0 ? std::conj(z) : z;
  return y;
}

/// The transform along one axis, in long double.
Global transformed_fast(const Global& in, const TransformSpec& spec) {
  const int axis = spec.axes[0];
  const Index n = spec.shape[axis];
  const bool c2r = spec.real && in.complex;
  Global out{spec.shape, !c2r, {}};
  if (spec.real && !c2r) out.shape = half_spectrum(spec.shape, axis);
  out.values.resize(static_cast<std::size_t>(product(out.shape)));
  Index inner = 1;
  for (int a = axis + 1; a < spec.shape.dims(); ++a) inner *= spec.shape[a];
  for (Index row = 0; row < product(spec.shape) / n; ++row) {
    const auto place = [&](Index k, Index extent) {
      return static_cast<std::size_t>((row / inner * extent + k) * inner + row % inner);
    };
    std::vector<Wide> x(static_cast<std::size_t>(n));
    for (Index k = 0; k < in.shape[axis]; ++k) {
      Wide& z = x[static_cast<std::size_t>(k)] = in.values[place(k, in.shape[axis])];
      if (c2r && k > 0 && 2 * k != n) x[static_cast<std::size_t>(n - k)] = std::conj(z);
      if (c2r && (k == 0 || 2 * k == n)) z = z.real();
    }
    const std::vector<Wide> y = long_fft(std::move(x), spec.sign);
    for (Index k = 0; k < out.shape[axis]; ++k)
      out.values[place(k, out.shape[axis])] =
          Wide(y[static_cast<std::size_t>(k)].real(), c2r ? 0 : y[static_cast<std::size_t>(k)].imag()) *
          static_cast<long double>(spec.scale);
  }
  return out;
}

/// One of each kind of length and of transform; under sanitizers those two whose own transform here takes the least.
std::vector<Verified> few_cases() {
  std::vector<Verified> few{{{{prime}, {0}, -1, false, 1.0}, true, f64},
                            {{{twice_a_prime}, {0}, -1, true, 1.0}, false, f64},
                            {{{round_length}, {0}, -1, true, 1.0}, false, f64},
                            {{{round_length}, {0}, +1, true, 0.5}, true, f64},
                            {{{round_length, 2}, {0}, +1, false, 0.5}, true, f64}};
  if (sanitized) few = one_problem_of > 4 ? std::vector{few[4]} : std::vector{few[2], few[4]};
  return few;
}

std::vector<Verified> long_axis_cases() {
  std::vector<Verified> all = few_cases();
  if (sanitized) return all;
  all.push_back({{{prime}, {0}, +1, true, 1.0}, true, f64});
  for (const bool complex_in : {true, false})
    all.push_back({{{round_length}, {0}, -1, !complex_in, 1.0}, complex_in, f32});
  all.push_back({{{round_length}, {0}, +1, true, 1.0}, true, f32});
  for (const Shape& shape : {Shape{2, round_length}, Shape{round_length, 2}})
    for (const int axis : {0, 1}) all.push_back({{shape, {axis}, +1, true, 1.0}, true, f64});
  return all;
}

TEST(LongAxes, OfExactResultsHaveOnlyTheRoundingOfTheStoredNumbersWhateverKindLengthAndDistribution) {
  int ranks = 0;
  for (const Verified& c : long_axis_cases()) {
    std::mt19937_64 random(1);
    Global in = random_array(input_shape(c), c.complex_in, c.precision, random);
    const Global out = rounded(transformed_fast(in, c.spec), c.precision);
    ranks = ranks % 5 + 1;
    EXPECT_LT(judged(c, in, out, ranks, 3).error_rel_l2, 1.5 * unit(c.precision)) << c << " on " << ranks << " ranks";
  }
}

TEST(LongAxes, ShowTheChangeOfOneElementAsItIs) {
  for (const Verified& c : few_cases()) {
    std::mt19937_64 random(5);
    // A spectrum that belongs to reals for half spectra in: the error is relative to the norm that such a spectrum
    // gives.
    Global in = random_array(c.spec.shape, !c.spec.real, f64, random);
    if (c.spec.real && c.complex_in)
      in = rounded(transformed_fast(in, {c.spec.shape, c.spec.axes, -1, true, 1.0}), f64);
    const Global exact = transformed_fast(in, c.spec);
    for (const std::size_t at : {exact.values.size() / 3, exact.values.size() - 1}) {
      Global out = exact;
      out.values[at] += 1e-12L * norm(exact);
      const Verdict v = judged(c, in, rounded(out, f64), 3, 5);
      EXPECT_NEAR(v.error_rel_l2, 1e-12, 2e-15) << c << " at " << at;
      EXPECT_FALSE(v.ok()) << c;
    }
  }
}

TEST(LongAxes, RejectSwappedElementsNearAndFarAWrongSignAndAMissingScale) {
  for (const Verified& c : few_cases()) {
    std::mt19937_64 random(6);
    const Global in = random_array(input_shape(c), c.complex_in, c.precision, random);
    const Global right = rounded(transformed_fast(in, c.spec), c.precision);
    const Index base = best_base(c.spec.shape[c.spec.axes[0]], right.shape[c.spec.axes[0]]);
    for (const std::size_t distance : {std::size_t{1}, static_cast<std::size_t>(base), right.values.size() / 2}) {
      Global swapped = right;
      std::swap(swapped.values[11], swapped.values[11 + distance]);
      EXPECT_FALSE(judged(c, in, swapped, 2, 9).ok()) << c << " " << distance;
    }
    Global other = right;
    for (Wide& z : other.values) z *= 2;
    EXPECT_FALSE(judged(c, in, other, 2, 9).ok()) << c;
    if (c.spec.real || c.spec.shape.dims() > 1) continue;
    Global reversed = right;  // of the other sign
    std::reverse(reversed.values.begin() + 1, reversed.values.end());
    EXPECT_FALSE(judged(c, in, reversed, 2, 9).ok()) << c;
  }
}

/// An impulse at `from` and its transform, of any length, by the definition of either.
struct Impulse {
  Global in{}, out{};
  Impulse(Index n, Index from) : in{{n}, true, std::vector<Wide>(static_cast<std::size_t>(n))}, out(in) {
    in.values[static_cast<std::size_t>(from)] = 1;
    Index turns = 0;
    for (Wide& z : out.values) {
      z = std::conj(turn(turns, n));
      if ((turns += from) >= n) turns -= n;
    }
  }
};

/// Errors that are structured as defects of transforms are: the digits of the probes are structured, too, and must not
/// be blind to them.
TEST(LongAxes, ShowTheErrorsOfOneTwiddleOneInputAndOneBlockWithinAFactorOfFour) {
  const std::uint64_t seeds = sanitized ? 1 : 6;
  for (const Index n : {Index{1} << 18, Index{1000003}}) {
    if (sanitized && n > 500000) break;
    const Verified c{{{n}, {0}, -1, false, 1.0}, true, f64};
    const Impulse impulse(n, n / 3 + 1);
    EXPECT_LT(judged(c, impulse.in, rounded(impulse.out, f64), 2, 1).error_rel_l2, 1.5 * unit(f64)) << n;

    const Index comb = 1024;
    std::vector<std::pair<const char*, Global>> wrong(3, {"", impulse.out});
    wrong[0].first = "a twiddle of one of two halves: every 1024th output, turning";
    for (Index k = 5; k < n; k += comb)
      wrong[0].second.values[static_cast<std::size_t>(k)] += 1e-9L * turn(k / comb * 77 % (n / comb), n / comb);
    wrong[1].first = "an input: all outputs, turning";
    for (Index k = 0, turns = 0; k < n; ++k, turns = (turns + 12345) % n)
      wrong[1].second.values[static_cast<std::size_t>(k)] += 1e-12L * turn(turns, n);
    wrong[2].first = "a block of outputs";
    for (Index k = 4096; k < 8192; ++k) wrong[2].second.values[static_cast<std::size_t>(k)] *= 1 + 1e-9L;
    for (const auto& [what, out] : wrong) {
      const Global stored = rounded(out, f64);
      const double truth = relative_difference(stored, impulse.out);
      for (std::uint64_t seed = 1; seed <= (n > 500000 ? 1 : seeds); ++seed) {
        const double estimate = judged(c, impulse.in, stored, 1, seed).error_rel_l2;
        EXPECT_GT(estimate, truth / 4) << what << ", n " << n << ", seed " << seed;
        EXPECT_LT(estimate, truth * 4) << what << ", n " << n << ", seed " << seed;
      }
    }
  }
}

TEST(LongAxes, DependOnTheSeedAndNotOnTheDistribution) {
  const Verified c = few_cases().back();
  std::mt19937_64 random(7);
  const Global in = random_array(c.spec.shape, true, f64, random), out = rounded(transformed_fast(in, c.spec), f64);
  const double error = judged(c, in, out, 1, 1).error_rel_l2;
  EXPECT_NE(error, judged(c, in, out, 1, 2).error_rel_l2);
  for (const int ranks : {2, 5}) {
    std::mt19937_64 cutting(ranks);
    const auto boxes = random_boxes(in.shape, ranks, 6, cutting);
    on_ranks(ranks, [&](const Comm& comm) {
      const auto me = static_cast<std::size_t>(comm.rank());
      std::mt19937_64 mine(me);
      const LocalPart x = local_part(in, boxes[me], f64, mine), y = local_part(out, boxes[me], f64, mine);
      EXPECT_NEAR(verify(comm, x.array, y.array, c.spec, 8, 1).error_rel_l2 / error, 1, 1e-9);
    });
  }
}

TEST(LongAxes, GiveCorrectlyRoundedSamplesOfAllKinds) {
  for (const Verified& c : few_cases()) {
    std::mt19937_64 random(8);
    const Global in = random_array(input_shape(c), c.complex_in, f64, random), exact = transformed_fast(in, c.spec);
    std::vector<Coord> positions{Coord::filled(exact.shape.dims(), 0)};
    for (int i = 0; i < 33; ++i) {
      Coord at = exact.shape;
      for (int a = 0; a < at.dims(); ++a)
        at[a] = i == 0 ? exact.shape[a] - 1 : static_cast<Index>(random() % static_cast<std::uint64_t>(exact.shape[a]));
      positions.push_back(at);
    }
    const auto boxes = random_boxes(in.shape, 3, 4, random);
    on_ranks(3, [&](const Comm& comm) {
      const auto me = static_cast<std::size_t>(comm.rank());
      std::mt19937_64 mine(me);
      const std::vector<double> found =
          exact_samples(comm, local_part(in, boxes[me], f64, mine).array, c.spec, positions);
      ASSERT_EQ(found.size(), 2 * positions.size());
      const double typical = static_cast<double>(norm(exact)) / std::sqrt(static_cast<double>(exact.values.size()));
      for (std::size_t i = 0; i < positions.size(); ++i)
        EXPECT_LT(static_cast<double>(std::abs(Wide(found[2 * i], found[2 * i + 1]) - exact[positions[i]])),
                  1e-15 * typical)
            << c << " sample " << i;
    });
  }
}

}  // namespace
}  // namespace shardfft
