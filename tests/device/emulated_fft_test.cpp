// Transforms of the emulated device against sums by definition in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "device/emulated_devices.hpp"
#include "device/random_boxes.hpp"
#include "support/chosen.hpp"
#include "support/pi.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

using Reference = std::complex<long double>;
using Array = std::vector<Reference>;

/// By definition, one axis after the other; `sign` of the exponent.
Array transformed(Array x, const std::vector<Index>& n, int sign) {
  Index inner = 1;
  for (std::size_t axis = n.size(); axis-- > 0; inner *= n[axis]) {
    Array y(x.size());
    for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
      const Index k = i / inner % n[axis], line = i - k * inner;
      for (Index j = 0; j < n[axis]; ++j) {
        const long double angle =
            2 * long_pi * static_cast<long double>(j * k % n[axis]) / static_cast<long double>(n[axis]);
        y[static_cast<std::size_t>(i)] += x[static_cast<std::size_t>(line + j * inner)] *
                                          Reference(std::cos(angle), static_cast<long double>(sign) * std::sin(angle));
      }
    }
    x = y;
  }
  return x;
}

/// The first n / 2 + 1 elements of every line along the last axis.
Array half_of(const Array& x, Index n) {
  Array half;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (static_cast<Index>(i) % n <= n / 2) half.push_back(x[i]);
  return half;
}

template <class T>
Array random_array(Random& random, Index count, bool real) {
  std::uniform_real_distribution<T> number(-1, 1);
  Array x(static_cast<std::size_t>(count));
  for (auto& value : x) value = {number(random), real ? 0 : number(random)};
  return x;
}

/// Places of an array's elements, in elements of `parts` scalars.
struct Strided {
  Index parts, stride, distance;
};

template <class T>
void put(std::vector<T>& memory, Strided place, Index b, const Array& x) {
  for (Index k = 0; k < static_cast<Index>(x.size()); ++k)
    for (Index p = 0; p < place.parts; ++p)
      memory[static_cast<std::size_t>((k * place.stride + b * place.distance) * place.parts + p)] =
          static_cast<T>(p == 0 ? x[static_cast<std::size_t>(k)].real() : x[static_cast<std::size_t>(k)].imag());
}

template <class T>
class EmulatedFft : public ::testing::Test {
 protected:
  static constexpr Scalar scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;

  /// Runs `spec` on arrays and compares: every element is within one unit in the last place of the largest one, and
  /// what lies between elements is as it was.
  static void check(FftSpec spec, const std::vector<Array>& in, const std::vector<Array>& expected, bool in_place) {
    spec.scalar = scalar;
    spec.batch = static_cast<Index>(in.size());
    const Strided from{spec.transform == DeviceTransform::r2c ? 1 : 2, spec.in_stride,
                       spec.in_distance ? spec.in_distance : static_cast<Index>(in[0].size())};
    const Strided to{spec.transform == DeviceTransform::c2r ? 1 : 2, spec.out_stride,
                     spec.out_distance ? spec.out_distance : static_cast<Index>(expected[0].size())};
    const auto scalars = [&](Strided p, const Array& x) {
      return static_cast<std::size_t>(
          ((static_cast<Index>(x.size()) - 1) * p.stride + (spec.batch - 1) * p.distance + 1) * p.parts);
    };
    std::vector<T> before(scalars(from, in[0])), after(in_place ? before.size() : scalars(to, expected[0]), -7);
    for (Index b = 0; b < spec.batch; ++b) put(before, from, b, in[static_cast<std::size_t>(b)]);
    if (in_place) after = before;
    const auto device = emulated_device();
    const auto fft = device->make_fft(spec);
    const Numbers<T> input(device, before), output(device, after);
    const Numbers<std::byte> scratch(device, fft->work_bytes());
    const auto queue = device->make_queue();
    fft->run(*queue, in_place ? output.data() : input.data(), output.data(), scratch.data());
    queue->synchronize();
    std::vector<T> wanted = after;
    long double largest = 0;
    for (Index b = 0; b < spec.batch; ++b) {
      put(wanted, to, b, expected[static_cast<std::size_t>(b)]);
      for (const auto& value : expected[static_cast<std::size_t>(b)]) largest = std::max(largest, std::abs(value));
    }
    const auto got = output.get();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_NEAR(got[i], wanted[i], std::numeric_limits<T>::epsilon() * largest)
          << fft->describe() << ", scalar " << i;
    if (spec.transform != DeviceTransform::c2r)
      EXPECT_EQ(input.get(), before);
    else
      EXPECT_NE(input.get(), before);
  }

  static Index product_of(const std::vector<Index>& n) {
    return std::accumulate(n.begin(), n.end(), Index{1}, std::multiplies<>());
  }

  static void check_complex(Random& random, FftSpec spec, Index batch, bool in_place) {
    for (const auto transform : {DeviceTransform::forward, DeviceTransform::backward}) {
      spec.transform = transform;
      std::vector<Array> in, out;
      for (Index b = 0; b < batch; ++b)
        in.push_back(random_array<T>(random, product_of(spec.n), false)),
            out.push_back(transformed(in.back(), spec.n, transform == DeviceTransform::forward ? -1 : 1));
      check(spec, in, out, in_place);
    }
  }
  /// c2r: what r2c makes of reals, rounded, and with numbers where a half spectrum has none; comes back as the reals
  /// times their number.
  static void check_real(Random& random, FftSpec spec, Index batch) {
    const Index last = spec.n.back();
    std::vector<Array> reals, halves, back;
    for (Index b = 0; b < batch; ++b) {
      reals.push_back(random_array<T>(random, product_of(spec.n), true));
      halves.push_back(half_of(transformed(reals.back(), spec.n, -1), last));
    }
    spec.transform = DeviceTransform::r2c;
    check(spec, reals, halves, false);
    spec.transform = DeviceTransform::c2r;
    std::swap(spec.in_stride, spec.out_stride), std::swap(spec.in_distance, spec.out_distance);
    for (Index b = 0; b < batch; ++b) {
      for (auto& value : halves[static_cast<std::size_t>(b)])
        value = {static_cast<T>(value.real()), static_cast<T>(value.imag())};
      back.push_back(reals_of(halves[static_cast<std::size_t>(b)], spec.n));
      if (spec.n.size() > 1) continue;
      halves[static_cast<std::size_t>(b)][0].imag(5);
      if (last % 2 == 0) halves[static_cast<std::size_t>(b)].back().imag(-3);
    }
    check(spec, halves, back, false);
  }
  /// The reals of a half spectrum by the whole spectrum's definition: its other half mirrors all axes.
  static Array reals_of(const Array& half, const std::vector<Index>& n) {
    const Index last = n.back(), kept = last / 2 + 1, lines = product_of(n) / last;
    Array whole(static_cast<std::size_t>(lines * last));
    for (Index l = 0; l < lines; ++l)
      for (Index k = 0; k < last; ++k) {
        Index mirrored = 0, rest = l, weight = 1;
        for (std::size_t a = n.size() - 1; a-- > 0; weight *= n[a], rest /= n[a])
          mirrored += (n[a] - rest % n[a]) % n[a] * weight;
        const Reference mine = k < kept ? half[static_cast<std::size_t>(l * kept + k)] : 0,
                        other = (last - k) % last < kept
                                    ? std::conj(half[static_cast<std::size_t>(mirrored * kept + (last - k) % last)])
                                    : 0;
        whole[static_cast<std::size_t>(l * last + k)] = k < kept && (last - k) % last < kept ? (mine + other) / 2.0L
                                                        : k < kept                           ? mine
                                                                                             : other;
      }
    Array x = transformed(whole, n, 1);
    for (auto& value : x) value = value.real();
    return x;
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EmulatedFft, Scalars);

TYPED_TEST(EmulatedFft, TransformsEveryLengthWithAnyStrides) {
  Sample sample;
  constexpr std::uint64_t seed = 51;
  Random random(seed);
  for (const Index n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 30, 31, 32, 37, 62, 64, 74, 97, 100, 128, 210, 243, 257})
    for (const bool strided : {false, true}) {
      if (!sample.takes()) continue;
      SCOPED_TRACE("n " + std::to_string(n) + ", strided " + std::to_string(strided) + ", seed " +
                   std::to_string(seed));
      const Index batch = between(random, 1, 4);
      FftSpec spec{.n = {n}};
      this->check_complex(random, spec, batch, true);
      if (strided)
        spec.in_stride = batch + between(random, 0, 2), spec.in_distance = 1, spec.out_stride = between(random, 1, 3),
        spec.out_distance = spec.out_stride * n + between(random, 0, 3);
      this->check_complex(random, spec, batch, false);
      this->check_real(random, spec, batch);
      if (this->HasFailure()) return;
    }
}

TYPED_TEST(EmulatedFft, TransformsPlanesAndCubes) {
  constexpr std::uint64_t seed = 52;
  Random random(seed);
  const std::vector<std::vector<Index>> shapes = {{1, 1},  {3, 4},    {4, 3},    {1, 6},    {7, 1},    {37, 2},
                                                  {2, 41}, {4, 3, 5}, {3, 5, 4}, {1, 6, 1}, {8, 8, 8}, {2, 3, 37}};
  for (const auto& n : shapes) {
    SCOPED_TRACE("first length " + std::to_string(n[0]) + ", axes " + std::to_string(n.size()) + ", seed " +
                 std::to_string(seed));
    this->check_complex(random, {.n = n}, 2, false);
    this->check_complex(random, {.n = n}, 3, true);
    this->check_real(random, {.n = n}, 2);
    if (this->HasFailure()) return;
  }
}

TEST(EmulatedFfts, RefuseWhatLibrariesRefuse) {
  const auto device = emulated_device();
  EXPECT_EQ(thrown([&] { (void)device->make_fft({.n = {2, 2, 2, 2}}); }),
            "unsupported: transforms of emulated devices: 1 to 3 axes; got 4");
  EXPECT_EQ(thrown([&] { (void)device->make_fft({.n = {2, 0}}); }),
            "unsupported: transforms of emulated devices: lengths and batch are at least 1; got 2 x 0 and 1");
}

TEST(EmulatedFfts, RefusePlacesThatOverlap) {
  const auto device = emulated_device();
  const Numbers<double> memory(device, 64), scratch(device, 64);
  const auto queue = device->make_queue();
  const auto run = [&](DeviceTransform transform, Index in, Index out, std::byte* work) {
    return thrown([&] {
      device->make_fft({.transform = transform, .n = {4}})->run(*queue, memory.data() + in, memory.data() + out, work);
    });
  };
  EXPECT_EQ(run(DeviceTransform::forward, 0, 16, scratch.data()),
            "device_failed: input and output of a transform are apart, or the same for forward and backward with equal "
            "strides; got memory that overlaps");
  EXPECT_EQ(run(DeviceTransform::r2c, 0, 0, scratch.data()),
            "device_failed: input and output of a transform are apart, or the same for forward and backward with equal "
            "strides; got memory that overlaps");
  EXPECT_EQ(run(DeviceTransform::forward, 0, 64, memory.data()),
            "device_failed: scratch of a transform is neither its input nor its output; got memory that overlaps");
}

}  // namespace
}  // namespace shardfft::testing
