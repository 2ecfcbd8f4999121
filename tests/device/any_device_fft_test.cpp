// Batched transforms on every device that is here, against sums that follow the definition.
#include <cmath>
#include <complex>
#include <random>

#include <gtest/gtest.h>

#include "device/on_device.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

using Complex = std::complex<long double>;

// One axis of an array of `lines_before` x n x `lines_after` numbers, by the definition.
std::vector<Complex> along(const std::vector<Complex>& in, Index before, Index n, Index after, int sign) {
  std::vector<Complex> out(in.size());
  for (Index b = 0; b < before; ++b)
    for (Index a = 0; a < after; ++a)
      for (Index k = 0; k < n; ++k) {
        Complex sum = 0;
        for (Index j = 0; j < n; ++j)
          sum +=
              in[static_cast<std::size_t>((b * n + j) * after + a)] *
              std::polar(1.0L, sign * 2 * long_pi * static_cast<long double>(j * k % n) / static_cast<long double>(n));
        out[static_cast<std::size_t>((b * n + k) * after + a)] = sum;
      }
  return out;
}

std::vector<Complex> by_definition(std::vector<Complex> array, const std::vector<Index>& n, int sign) {
  Index before = 1, all = static_cast<Index>(array.size());
  for (const Index extent : n) {
    array = along(array, before, extent, all / before / extent, sign);
    before *= extent;
  }
  return array;
}

// Place of number k (of a whole array, last axis cut to `last`) in an array of `parts` scalars per element.
struct End {
  int parts;
  Index last, stride, distance, per_array;
  [[nodiscard]] std::size_t at(Index array, Index line, Index k) const {
    return static_cast<std::size_t>(((line * last + k) * stride + array * distance) * parts);
  }
  [[nodiscard]] std::size_t scalars(Index batch) const {
    return static_cast<std::size_t>(((per_array - 1) * stride + (batch - 1) * distance + 1) * parts);
  }
};

End end_of(const FftSpec& spec, bool in) {
  const bool real = spec.transform == (in ? DeviceTransform::r2c : DeviceTransform::c2r),
             half = spec.transform == (in ? DeviceTransform::c2r : DeviceTransform::r2c);
  const Index last = half ? spec.n.back() / 2 + 1 : spec.n.back();
  Index count = last;
  for (std::size_t axis = 0; axis + 1 < spec.n.size(); ++axis) count *= spec.n[axis];
  const Index said = in ? spec.in_distance : spec.out_distance;
  return {real ? 1 : 2, last, in ? spec.in_stride : spec.out_stride, said ? said : count, count};
}

class FftOfAnyDevice : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  std::unique_ptr<Queue> queue = device->make_queue();

  /// Random arrays, their transforms by the definition, and what the device makes of them.
  template <class T>
  void compare(FftSpec spec) {
    spec.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;
    const End in = end_of(spec, true), out = end_of(spec, false);
    const Index last = spec.n.back(), lines = in.per_array / in.last;
    const bool backward = spec.transform == DeviceTransform::backward || spec.transform == DeviceTransform::c2r;
    std::mt19937 random(51);
    std::uniform_real_distribution<T> number(-1, 1);
    std::vector<T> source(in.scalars(spec.batch), T(99)), marked(out.scalars(spec.batch), T(77));
    std::vector<std::vector<Complex>> expected;
    for (Index b = 0; b < spec.batch; ++b) {
      std::vector<Complex> array(static_cast<std::size_t>(lines * last));
      for (Complex& x : array)
        x = {number(random),
             spec.transform == DeviceTransform::r2c || spec.transform == DeviceTransform::c2r ? 0 : number(random)};
      // The input of c2r is the spectrum of real numbers, the output these numbers times their count.
      std::vector<Complex> there = by_definition(array, spec.n, spec.transform == DeviceTransform::backward ? +1 : -1);
      const auto& input = spec.transform == DeviceTransform::c2r ? there : array;
      for (Index line = 0; line < lines; ++line)
        for (Index k = 0; k < in.last; ++k) {
          const Complex x = input[static_cast<std::size_t>(line * last + k)];
          source[in.at(b, line, k)] = static_cast<T>(x.real());
          if (in.parts == 2) source[in.at(b, line, k) + 1] = static_cast<T>(x.imag());
        }
      if (spec.transform == DeviceTransform::c2r)
        for (Complex& x : array) x *= static_cast<long double>(array.size());
      expected.push_back(spec.transform == DeviceTransform::c2r ? array : there);
    }
    const auto fft = device->make_fft(spec);
    SCOPED_TRACE(fft->describe() + (backward ? " backward" : "") + ", seed 51");
    const DeviceMemory from = on_device(device, *queue, source), to = on_device(device, *queue, marked),
                       work(device, fft->work_bytes(), "a test");
    fft->run(*queue, from.data(), to.data(), work.data());
    const std::vector<T> got = on_host<T>(*queue, to);
    std::vector<bool> touched(got.size());
    long double error = 0, norm = 0;
    for (Index b = 0; b < spec.batch; ++b)
      for (Index line = 0; line < lines; ++line)
        for (Index k = 0; k < out.last; ++k)
          for (int part = 0; part < out.parts; ++part) {
            const Complex x = expected[static_cast<std::size_t>(b)][static_cast<std::size_t>(line * last + k)];
            const long double right = part ? x.imag() : x.real(),
                              difference = got[out.at(b, line, k) + static_cast<std::size_t>(part)] - right;
            touched[out.at(b, line, k) + static_cast<std::size_t>(part)] = true;
            error += difference * difference, norm += right * right;
          }
    EXPECT_LE(std::sqrt(error / norm), 8 * std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(touched[i] || got[i] == T(77)) << "between the arrays, at " << i;
    if (spec.transform == DeviceTransform::c2r) return;  // may have been overwritten
    EXPECT_EQ(on_host<T>(*queue, from), source);
  }

  void compare_both(const FftSpec& spec) {
    compare<float>(spec);
    compare<double>(spec);
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FftOfAnyDevice);
INSTANTIATE_TEST_SUITE_P(Here, FftOfAnyDevice, ::testing::ValuesIn(device_names()), as_word);

constexpr DeviceTransform all_transforms[] = {DeviceTransform::forward, DeviceTransform::backward, DeviceTransform::r2c,
                                              DeviceTransform::c2r};

TEST_P(FftOfAnyDevice, FollowsTheDefinitionAlongOneAxisOfAnyLength) {
  for (const DeviceTransform transform : all_transforms)
    for (const Index n : {1, 2, 3, 8, 17, 60, 101}) compare_both({.transform = transform, .n = {n}, .batch = 3});
}

TEST_P(FftOfAnyDevice, FollowsTheDefinitionWhateverTheStridesAtBothEnds) {
  for (const DeviceTransform transform : all_transforms)
    for (const Index n : {7, 16}) {
      const Index batch = 5;
      compare_both({.transform = transform,
                    .n = {n},
                    .batch = batch,
                    .in_stride = batch,
                    .in_distance = 1,
                    .out_stride = 1,
                    .out_distance = n + 2});
      compare_both({.transform = transform,
                    .n = {n},
                    .batch = batch,
                    .in_stride = 1,
                    .in_distance = n + 3,
                    .out_stride = batch + 1,
                    .out_distance = 1});
      compare_both({.transform = transform,
                    .n = {n},
                    .batch = 2,
                    .in_stride = 2,
                    .in_distance = 2 * n + 1,
                    .out_stride = 3,
                    .out_distance = 3 * n});
    }
}

TEST_P(FftOfAnyDevice, FollowsTheDefinitionAlongTwoAndThreeAxes) {
  for (const DeviceTransform transform : all_transforms) {
    compare_both({.transform = transform, .n = {6, 5}, .batch = 2});
    compare_both({.transform = transform, .n = {4, 9}, .batch = 1});
    compare_both({.transform = transform, .n = {3, 4, 5}, .batch = 2});
    compare_both({.transform = transform, .n = {2, 3, 8}, .batch = 1});
  }
}

// A half spectrum of which i times a constant, where reals have mirrored conjugates, is nothing that reals have.
// Libraries' kernels for some lengths let it into the result.
TEST_P(FftOfAnyDevice, IgnoresWhatNoArrayOfRealsHas) {
  const auto check = [&](auto scalar, const std::vector<Index>& n, Index batch) {
    using T = decltype(scalar);
    const FftSpec spec{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64,
                       .transform = DeviceTransform::c2r,
                       .n = n,
                       .batch = batch};
    const End in = end_of(spec, true), out = end_of(spec, false);
    std::mt19937 random(53);
    std::uniform_real_distribution<T> number(-1, 1);
    std::vector<std::complex<T>> clean(in.scalars(batch) / 2), spoilt;
    for (auto& x : clean) x = {number(random), number(random)};
    spoilt = clean;
    for (std::size_t i = 0; i < spoilt.size(); ++i)
      if (const Index k = static_cast<Index>(i) % in.last; (n.back() - k) % n.back() == k)
        spoilt[i] += std::complex<T>(0, 100);
    const auto fft = device->make_fft(spec);
    const DeviceMemory work(device, fft->work_bytes(), "a test"), to(device, out.scalars(batch) * sizeof(T), "a test");
    const auto transformed = [&](const std::vector<std::complex<T>>& x) {
      const DeviceMemory from = on_device(device, *queue, x);
      fft->run(*queue, from.data(), to.data(), work.data());
      return on_host<T>(*queue, to);
    };
    const std::vector<T> expected = transformed(clean), got = transformed(spoilt);
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      error += std::pow(got[i] - expected[i], 2), norm += std::pow(expected[i], 2);
    EXPECT_LE(std::sqrt(error / norm), 400 * std::numeric_limits<T>::epsilon()) << fft->describe() << ", seed 53";
  };
  for (const auto& [n, batch] : std::vector<std::pair<std::vector<Index>, Index>>{{{1}, 3},
                                                                                  {{2}, 3},
                                                                                  {{3}, 3},
                                                                                  {{8}, 5},
                                                                                  {{60}, 2},
                                                                                  {{101}, 2},
                                                                                  {{8192}, 1},
                                                                                  {{16384}, 1},
                                                                                  {{6, 5}, 2},
                                                                                  {{5, 8}, 2},
                                                                                  {{3, 4, 6}, 2},
                                                                                  {{2, 3, 8192}, 1}}) {
    check(float(), n, batch);
    check(double(), n, batch);
  }
}

TEST_P(FftOfAnyDevice, WorksInPlace) {
  std::vector<std::complex<double>> data(12, {1, 2});
  const DeviceMemory memory = on_device(device, *queue, data);
  for (const DeviceTransform transform : {DeviceTransform::forward, DeviceTransform::backward}) {
    const auto fft = device->make_fft({.transform = transform, .n = {4}, .batch = 3});
    const DeviceMemory work(device, fft->work_bytes(), "a test");
    fft->run(*queue, memory.data(), memory.data(), work.data());
    queue->synchronize();
  }
  for (const auto& x : on_host<std::complex<double>>(*queue, memory))
    EXPECT_NEAR(std::abs(x - std::complex<double>(4, 8)), 0, 1e-12);
}

TEST_P(FftOfAnyDevice, RefusesWhatNoLibraryHas) {
  EXPECT_ANY_THROW(static_cast<void>(device->make_fft({.n = {}})));
  EXPECT_ANY_THROW(static_cast<void>(device->make_fft({.n = {2, 2, 2, 2}})));
  EXPECT_ANY_THROW(static_cast<void>(device->make_fft({.n = {0}})));
}

}  // namespace
}  // namespace shardfft::testing
