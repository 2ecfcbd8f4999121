#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "plain_fft.hpp"

namespace shardfft {
namespace {

using namespace testing;

template <class T>
constexpr Precision precision_of = sizeof(T) == 4 ? f32 : f64;

template <class T>
LocalArray whole_array(const std::vector<std::complex<T>>& values, const Shape& shape) {
  Coord strides = shape;
  Index bytes = sizeof(std::complex<T>);
  for (int a = shape.dims() - 1; a >= 0; --a) strides[a] = std::exchange(bytes, bytes * shape[a]);
  return {{{whole(shape), reinterpret_cast<const std::byte*>(values.data()), strides}}, shape, true, precision_of<T>};
}

template <class T>
std::vector<std::complex<T>> random_values(Index count) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<T> uniform(T(-0.5), T(0.5));
  std::vector<std::complex<T>> x;
  for (Index i = 0; i < count; ++i) x.emplace_back(uniform(random), uniform(random));
  return x;
}

/// Measured error over bound.
template <class T>
double used_share(const std::vector<std::complex<T>>& x, const std::vector<std::complex<T>>& y,
                  const TransformSpec& spec) {
  const Verdict v = verify(local(), whole_array(x, spec.shape), whole_array(y, spec.shape), spec);
  return v.error_rel_l2 / v.bound;
}

/// A cube transformed axis by axis.
template <class T>
std::vector<std::complex<T>> cube(std::vector<std::complex<T>> x, Index n, const PlainFft<T>& fft) {
  const auto rows = static_cast<std::size_t>(n);
  std::vector<std::complex<T>> row(rows);
  for (std::size_t stride : {std::size_t{1}, rows, rows * rows})
    for (std::size_t start = 0; start < x.size(); ++start) {
      if (start / stride % rows != 0) continue;
      for (std::size_t k = 0; k < rows; ++k) row[k] = x[start + k * stride];
      const auto image = fft(row);
      for (std::size_t k = 0; k < rows; ++k) x[start + k * stride] = image[k];
    }
  return x;
}

template <class T>
void expect_room() {
  for (const Index n : {3, 64, 13 * 13, 360, 4096}) {
    const auto x = random_values<T>(n);
    EXPECT_LT(used_share(x, PlainFft<T>(n)(x), {{n}, {0}}), 0.67) << n;
  }
  for (const Index n : {37, 1021}) {
    const auto x = random_values<T>(n);
    EXPECT_LT(used_share(x, bluestein(x), {{n}, {0}}), 0.67) << n;
  }
}

TEST(ExactBound, LeavesRoomForHonestTransforms) {
  expect_room<float>();
  expect_room<double>();
}

template <class T>
void expect_broken_cubes_found() {
  constexpr Index n = 64;
  const TransformSpec spec{{n, n, n}, {0, 1, 2}};
  const auto x = random_values<T>(n * n * n);
  PlainFft<T> fft(n);
  auto y = cube(x, n, fft);
  EXPECT_LT(used_share(x, y, spec), 0.67);

  std::swap(y[1000], y[1001]);
  EXPECT_GT(used_share(x, y, spec), 100);

  const T tiny = std::numeric_limits<T>::epsilon();
  fft.twiddles[5] += std::complex<T>(40 * tiny, 0);  // one of 64, wrong in its last six bits
  EXPECT_GT(used_share(x, cube(x, n, fft), spec), 1);
}

TEST(ExactBound, IsExceededBySwappedElementsAndByOneBadTwiddleInACubeOf64) {
  expect_broken_cubes_found<float>();
  expect_broken_cubes_found<double>();
}

TEST(ExactBound, GrowsWithLengthAxesAndUnitRoundoff) {
  const TransformSpec small{{64}, {0}}, large{{4096}, {0}}, two{{64, 64}, {0, 1}}, batch{{64, 64}, {1}},
      prime{{67}, {0}};
  EXPECT_LT(exact_bound(small, f64), exact_bound(large, f64));
  EXPECT_LT(exact_bound(small, f64), exact_bound(two, f64));
  EXPECT_EQ(exact_bound(small, f64), exact_bound(batch, f64));
  EXPECT_LT(exact_bound(small, f64), exact_bound(prime, f64));
  EXPECT_EQ(exact_bound(small, f32), exact_bound(small, f64) * 0x1p29);
}

// A constant array just below half the smallest subnormal times the length: scaled first it is gone, all of it. That is
// n / 2 smallest subnormals of an error, more than the root of n.
TEST(ExactBound, AllowsForUnderflowOfAllNumbersAtOnce) {
  constexpr Index n = 1024;
  const float smallest = std::numeric_limits<float>::denorm_min();
  const TransformSpec spec{.shape = {n}, .axes = {0}, .scale = 1.0 / n};
  const std::vector<std::complex<float>> x(n, smallest * (n / 2 - 1));
  std::vector<std::complex<float>> y(n);
  const auto verdict = [&] { return verify(local(), whole_array(x, spec.shape), whole_array(y, spec.shape), spec); };
  EXPECT_TRUE(verdict().ok());
  y[0] = smallest * (n / 2 - 1);
  EXPECT_TRUE(verdict().ok());
  for (auto& value : y) value = smallest * (8 * n);
  EXPECT_FALSE(verdict().ok());
  EXPECT_EQ(exact_floor(spec, f64, 2 * n), std::ldexp(exact_floor(spec, f32, 2 * n), 149 - 1074));
}

}  // namespace
}  // namespace shardfft
