// Sums of squares against plain loops in long double.
#include "support/squares.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

#include "support/problems/layouts.hpp"
#include "support/problems/random_strides.hpp"

namespace shardfft::testing {
namespace {

template <class Real>
void expect_sum(std::mt19937_64& random, const Shape& shape, bool complex) {
  const Index per = complex ? 2 : 1, element = per * static_cast<Index>(sizeof(Real));
  Index bytes = 0;
  const Coord strides = random_strides(random, shape, element, bytes);
  std::vector<Real> memory(static_cast<std::size_t>(bytes) / sizeof(Real) + 1);
  std::uniform_real_distribution<double> spread(-3, 3);
  for (Real& x : memory) x = static_cast<Real>(spread(random));
  long double expected = 0;
  Coord at = Coord::filled(shape.dims(), 0);
  for (Index i = 0; i < product(shape); ++i) {
    Index rest = i;
    for (int a = shape.dims() - 1; a >= 0; --a) {
      at[a] = rest % shape[a];
      rest /= shape[a];
    }
    for (Index k = 0; k < per; ++k) {
      const long double x =
          memory[static_cast<std::size_t>(offset_of(at, strides)) / sizeof(Real) + static_cast<std::size_t>(k)];
      expected += x * x;
    }
  }
  const double sum = sum_of_squares(sizeof(Real) == 4 ? Scalar::f32 : Scalar::f64, complex,
                                    reinterpret_cast<const std::byte*>(memory.data()), strides, shape);
  EXPECT_NEAR(sum, static_cast<double>(expected), 1e-13 * static_cast<double>(expected))
      << to_string(shape) << " with strides " << to_string(strides);
}

TEST(SumOfSquares, IsThatOfABoxHoweverItLies) {
  std::mt19937_64 random(20261123);
  for (int i = 0; i < 400; ++i) {
    const int dims = static_cast<int>(pick(random, 1, 5));
    Shape shape = Coord::filled(dims, 1);
    for (int a = 0; a < dims; ++a) shape[a] = pick(random, 0, 3) == 0 ? 1 : pick(random, 1, dims < 3 ? 40 : 9);
    for (const bool complex : {false, true}) {
      expect_sum<double>(random, shape, complex);
      expect_sum<float>(random, shape, complex);
    }
  }
}

TEST(SumOfSquares, IsZeroWhereThereIsNothing) {
  const double one = 1;
  EXPECT_EQ(sum_of_squares(Scalar::f64, false, reinterpret_cast<const std::byte*>(&one), {8, 8}, {3, 0}), 0);
  EXPECT_EQ(sum_of_squares(Scalar::f64, reinterpret_cast<const std::byte*>(&one), 0), 0);
}

TEST(SumOfSquares, OfALineReadsNothingBehindIt) {
  for (Index n = 0; n < 70; ++n) {
    std::vector<float> line(static_cast<std::size_t>(n) + 16, std::numeric_limits<float>::infinity());
    std::fill_n(line.begin(), n, 2.0F);
    EXPECT_EQ(sum_of_squares(Scalar::f32, reinterpret_cast<const std::byte*>(line.data()), n),
              4.0 * static_cast<double>(n));
  }
}

// Ranks with other instruction sets find the same norm: sixteen partial sums, then halves added to halves.
TEST(SumOfSquares, HasTheBitsOfSixteenPartialSumsOnEveryProcessor) {
  std::mt19937_64 random(20261124);
  std::uniform_real_distribution<double> spread(-3, 3);
  for (Index n = 1; n < 100; n += 7) {
    std::vector<double> line(static_cast<std::size_t>(n));
    for (double& x : line) x = spread(random);
    std::array<double, 16> whole{}, rest{};
    const Index of_whole = n / 16 * 16;
    for (Index i = 0; i < n; ++i)
      (i < of_whole ? whole : rest)[static_cast<std::size_t>(i % 16)] +=
          line[static_cast<std::size_t>(i)] * line[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < 16; ++k) whole[k] += rest[k];
    for (std::size_t half = 8; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) whole[k] += whole[k + half];
    EXPECT_EQ(sum_of_squares(Scalar::f64, reinterpret_cast<const std::byte*>(line.data()), n), whole[0]) << n;
  }
}

}  // namespace
}  // namespace shardfft::testing
