// Approximate mode on inputs that are hard on codecs: Inf and NaN, subnormal numbers, zeros, data made to defeat a
// quantiser. Half spectra that no real array has: approximate_places_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plan/approximate/beside_exact.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

const Options encoded{
    .input = bricks(), .output = pencils(0), .tolerance = 1e-3, .threads = 1, .expert = {.encode_near = true}};

Options guaranteed(const char* guarantee, Options o = encoded) {
  o.guarantee = guarantee;
  return o;
}

template <class T>
bool not_finite_alike(const Beside<T>& b) {
  for (std::size_t i = 0; i < b.exact.size(); ++i)
    if (std::isnan(b.got[i]) != std::isnan(b.exact[i]) || std::isinf(b.got[i]) != std::isinf(b.exact[i])) return false;
  return true;
}

template <class T>
std::size_t not_finite(const std::vector<T>& values) {
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](T v) { return !std::isfinite(v); }));
}

// Axis 0 is not transformed, so that only some planes of the result are touched.
template <class T>
void spoil_one_element(Kind kind, const char* guarantee, double spoiler, Direction direction) {
  const Problem problem{.shape = {9, 10, 14}, .kind = kind, .precision = sizeof(T) == 4 ? f32 : f64, .axes = {1, 2}};
  on_ranks(5, [&](Comm comm) {
    const bool complex = kind == c2c || (kind == r2c) == (direction == Direction::backward);
    const Shape shape = complex && kind != c2c ? Shape{9, 10, 8} : problem.shape;
    Whole x = data_of(0, shape, complex, 11, sizeof(T) == 4);
    x.at({4, 3, 5}) = spoiler;
    const Beside<T> b = beside_exact<T>(comm, problem, guaranteed(guarantee), x, direction);
    EXPECT_TRUE(not_finite_alike(b)) << to_string(problem) << " " << guarantee << " " << spoiler << " rank "
                                     << comm.rank();
    EXPECT_GT(all_sum(comm, static_cast<double>(not_finite(b.exact))), 0);
    EXPECT_LT(all_sum(comm, static_cast<double>(not_finite(b.exact))),
              all_sum(comm, static_cast<double>(b.exact.size())));
  });
}

TEST(ApproximateInputs, InfAndNanComeOutWhereExactModeHasThem) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Sample sample;
  for (const Kind kind : {c2c, r2c, c2r})
    for (const char* guarantee : {"certified", "worst", "statistical"})
      for (const double spoiler : {inf, -inf, nan})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
          if (sample.takes()) spoil_one_element<double>(kind, guarantee, spoiler, direction);
          if (sample.takes()) spoil_one_element<float>(kind, guarantee, spoiler, direction);
        }
}

// Single axes and batches of them, whole ones and those in halves; Inf in one part of a number only.
template <class T>
void spoil_a_part(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](auto list) { return *(list.begin() + static_cast<std::ptrdiff_t>(random() % list.size())); };
  const Kind kind = one_of(std::vector{c2c, r2c, c2r});
  Problem problem{.kind = kind, .precision = sizeof(T) == 4 ? f32 : f64};
  problem.shape = one_of(std::vector<Shape>{
      {720}, {512}, {1000}, {97}, {4096}, {3, 640}, {640, 2}, {12, 10, 14}, {8, 8, 8}, {6, 5, 4, 8}, {24, 18}});
  if (problem.shape.dims() == 2 && problem.shape[0] != 24) problem.axes = {problem.shape[0] > problem.shape[1] ? 0 : 1};
  const std::vector<LayoutSpec> layouts = problem.shape.dims() > 2
                                              ? std::vector<LayoutSpec>{slabs(0), slabs(1), bricks(), pencils(0)}
                                              : std::vector<LayoutSpec>{slabs(0), slabs(-1)};
  Options o{.input = one_of(layouts),
            .output = one_of(layouts),
            .tolerance = 1e-3,
            .threads = 1,
            .expert = {.encode_near = true}};
  o.expert.codec = one_of(std::vector<std::string>{"", "block_float", "f16", "mantissa", "lossless"});
  if (o.expert.codec == "f16") o.tolerance = 0.05;
  const Direction direction = one_of(std::vector{Direction::forward, Direction::backward});
  const int ranks = static_cast<int>(1 + random() % 5);
  const double inf = std::numeric_limits<double>::infinity(),
               spoiler = one_of(std::vector{inf, -inf, std::numeric_limits<double>::quiet_NaN()});
  const bool imaginary = random() % 2 == 0;
  const std::uint64_t place = random();
  on_ranks(ranks, [&](Comm comm) {
    const bool complex = kind == c2c || (kind == r2c) == (direction == Direction::backward);
    Shape shape = problem.shape;
    const int last = problem.axes.empty() ? shape.dims() - 1 : problem.axes.back();
    if (complex && kind != c2c) shape[last] = shape[last] / 2 + 1;
    Whole x = data_of(0, shape, complex, seed, sizeof(T) == 4);
    Reference& z = x.values[place % x.values.size()];
    z = complex && imaginary ? Reference(z.real(), spoiler) : Reference(spoiler, z.imag());
    const Beside<T> b = beside_exact<T>(comm, problem, o, x, direction);
    EXPECT_TRUE(not_finite_alike(b)) << "seed " << seed << ": " << to_string(problem) << ", axis " << last << ", "
                                     << to_string(o.input) << " to " << to_string(o.output) << ", codec "
                                     << o.expert.codec << ", "
                                     << (direction == Direction::forward ? "forward" : "backward") << ", " << ranks
                                     << " ranks, " << spoiler << (imaginary ? " imaginary" : "");
  });
}

TEST(ApproximateInputs, PartsThatAreInfOrNanComeOutWhereExactModeHasThemWhateverTheAxesAndTheCodec) {
  const std::uint64_t first = chosen_seed(35001);
  for (int i = 0; i < chosen_problems(60); ++i)
    i % 2 == 0 ? spoil_a_part<double>(first + static_cast<std::uint64_t>(i))
               : spoil_a_part<float>(first + static_cast<std::uint64_t>(i));
}

template <class T>
std::int64_t subnormals(const std::vector<T>& values) {
  return std::count_if(values.begin(), values.end(), [](T v) { return std::fpclassify(v) == FP_SUBNORMAL; });
}

TEST(ApproximateInputs, SubnormalNumbersAreTransformedExactly) {
  for (const Kind kind : {c2c, r2c})
    for (const char* guarantee : {"certified", "worst", "statistical"})
      on_ranks(4, [&](Comm comm) {
        const Shape shape{12, 10, 16};
        const auto f = beside_exact<double>(comm, {.shape = shape, .kind = kind}, guaranteed(guarantee),
                                            data_of(7, shape, kind == c2c, 3, false));
        EXPECT_TRUE(same_bits(f));
        const auto g = beside_exact<float>(comm, {.shape = shape, .kind = kind, .precision = f32},
                                           guaranteed(guarantee), data_of(7, shape, kind == c2c, 3, true));
        EXPECT_TRUE(same_bits(g));
        EXPECT_GT(all_sum(comm, static_cast<double>(subnormals(f.exact))), 0);
        EXPECT_GT(all_sum(comm, static_cast<double>(subnormals(g.exact))), 0);
      });
}

TEST(ApproximateInputs, ZerosStayZerosAndTakeNextToNothing) {
  for (const char* guarantee : {"certified", "worst", "statistical"})
    on_ranks(4, [&](Comm comm) {
      const Shape shape{32, 32, 32};
      const auto b =
          beside_exact<double>(comm, {.shape = shape}, guaranteed(guarantee), data_of(10, shape, true, 3, false));
      EXPECT_TRUE(std::all_of(b.got.begin(), b.got.end(), [](double v) { return v == 0; }));
      EXPECT_EQ(b.loss.encoded, 0);
      EXPECT_LT(b.loss.bits, 1);
    });
}

// One number everywhere lies half-way between two steps for some tolerances, since the step follows the norm. The usual
// step then loses sqrt(3) as much as is reckoned with, and parts must be encoded again, finer. The bits show it: the
// integers, about 700, then need one more.
TEST(ApproximateInputs, HalfStepsOfTheQuantiserThatIsUsedAreEncodedAgainAndKeepTheTolerance) {
  const Shape shape{16, 16, 16};
  Whole x{shape, std::vector<Reference>(static_cast<std::size_t>(product(shape)), Reference(1.7, 1.7))};
  double least_bits = 64, most_bits = 0;
  for (int i = 0; i < 150; i += one_problem_of) {
    Options o = encoded;
    o.output = pencils(2);
    o.expert.axis_order = {2, 1, 0};
    o.tolerance = 8e-4 * (1 + 2e-5 * i);
    o.expert.codec = "block_float";
    on_ranks(4, [&](Comm comm) {
      // The first step only moves data from bricks to pencils, so that the constant itself is encoded.
      const auto b = beside_exact<double>(comm, {.shape = shape}, o, x);
      EXPECT_LE(b.relative(), b.loss.bound + b.arithmetic) << o.tolerance;
      EXPECT_LE(b.loss.bound, o.tolerance);
      if (comm.rank() != 0) return;
      least_bits = std::min(least_bits, b.loss.bits);
      most_bits = std::max(most_bits, b.loss.bits);
    });
  }
  EXPECT_GT(most_bits, least_bits * 1.02) << "no tolerance had to be encoded again: this test tests nothing";
}

}  // namespace
}  // namespace shardfft::testing
