// Fused transforms, on every device that is here and has kernels for them, against sums that follow the definition.
#include <cmath>
#include <complex>

#include "device/fused/on_device.hpp"
#include "device/fused/places.hpp"
#include "device/fused/random_families.hpp"
#include "shardfft/error.hpp"
#include "support/chosen.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

std::vector<Complex> by_definition(const std::vector<Complex>& x, int sign) {
  const auto n = static_cast<Index>(x.size());
  std::vector<Complex> y(x.size()), root(x.size());
  for (Index k = 0; k < n; ++k)
    root[static_cast<std::size_t>(k)] =
        std::polar(1.0L, sign * 2 * long_pi * static_cast<long double>(k) / static_cast<long double>(n));
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j)
      y[static_cast<std::size_t>(k)] += x[static_cast<std::size_t>(j)] * root[static_cast<std::size_t>(j * k % n)];
  return y;
}

// All n elements of a half spectrum of reals: its first and middle elements become real, conjugates follow.
std::vector<Complex> whole_spectrum(const std::vector<Complex>& half, Index n) {
  std::vector<Complex> all(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) {
    const Complex x = half[static_cast<std::size_t>(std::min(k, n - k))];
    all[static_cast<std::size_t>(k)] = 2 * k % n == 0 ? Complex(x.real()) : 2 * k < n ? x : std::conj(x);
  }
  return all;
}

class FusedOfAnyDevice : public FusedOnDevice {
 protected:
  /// Random families of about `pencils` pencils of one launch, each from and to places of its own.
  template <class T>
  void compare(Random& random, DeviceTransform transform, Index n, Index pencils, int count) {
    const FusedSpec spec{
        .scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .transform = transform, .n = n, .scale = 0.5};
    ASSERT_TRUE(kernels->supports(spec));
    const auto [families, from_bytes, to_bytes] = random_families(random, spec, pencils, count);
    std::vector<T> source(static_cast<std::size_t>(from_bytes) / sizeof(T)),
        target(static_cast<std::size_t>(to_bytes) / sizeof(T) + 3, T(77)), expected = target;
    for (T& x : source) x = static_cast<T>(static_cast<double>(between(random, -999, 999)) / 1000);
    for (const PencilFamily& family : families)
      for_pencils(family, [&](Index v, const Index* outer) {
        std::vector<Complex> pencil(static_cast<std::size_t>(spec.length_in()));
        for_places(family, family.from, v, outer, [&](Index k, Index at) {
          pencil[static_cast<std::size_t>(k)] = number_at(source, at, spec.complex_in());
        });
        pencil = by_definition(transform == DeviceTransform::c2r ? whole_spectrum(pencil, n) : pencil,
                               spec.backward() ? +1 : -1);
        for_places(family, family.to, v, outer, [&](Index k, Index at) {
          put(expected, at, pencil[static_cast<std::size_t>(k)] * static_cast<long double>(spec.scale),
              spec.complex_out());
        });
      });
    const DeviceMemory from = on_device(device, *queue, source), to = on_device(device, *queue, target);
    const auto list = kernels->make(*device, spec, families);
    list->run(*queue, {{nullptr, from.data(), to.data()}});
    const auto got = on_host<T>(*queue, to);
    const double most = 4 * std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(n)) *
                        std::log2(static_cast<double>(n) + 2);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_LE(std::abs(got[i] - expected[i]), expected[i] == target[i] ? 0 : most)
          << "at " << i << ", n " << n << ", transform " << static_cast<int>(transform) << ", families " << count;
    EXPECT_EQ(on_host<T>(*queue, from), source);
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedOfAnyDevice);
INSTANTIATE_TEST_SUITE_P(Here, FusedOfAnyDevice, ::testing::ValuesIn(device_names()), as_word);

TEST_P(FusedOfAnyDevice, TransformEveryPencilOfRandomFamiliesHoweverItIsCutAndTouchNothingElse) {
  constexpr std::uint64_t seed = 61;
  Random random(seed);
  for (const Index n : {1, 2, 3, 4, 6, 7, 10, 16, 64, 128, 256})
    for (const DeviceTransform transform : transforms)
      for (int i = 0; i < 4 && !HasFailure(); ++i) {
        if (!kernels->supports({.transform = transform, .n = n})) continue;
        SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
        const Index pencils = n > 64 ? 2 : 12;
        const int families = static_cast<int>(between(random, 1, n > 64 ? 1 : 4));
        i % 2 ? compare<float>(random, transform, n, pencils, families)
              : compare<double>(random, transform, n, pencils, families);
      }
}

TEST_P(FusedOfAnyDevice, WorkInPlace) {
  const Index n = 128, pencils = 10;
  for (const bool real : {false, true}) {
    // Reals lie where their half spectra do, row by row.
    const Index element = real ? 8 : 16, row = real ? (n / 2 + 1) * 16 : n * 16;
    std::vector<double> data(static_cast<std::size_t>(pencils * row / 8));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<double>(i % 17);
    const DeviceMemory memory = on_device(device, *queue, data);
    const PencilStretch space{.count = n, .base = MoveBase::input, .step = element, .pencil_step = row},
        spectrum{.count = real ? n / 2 + 1 : n, .base = MoveBase::output, .step = 16, .pencil_step = row};
    const MoveBases bases{{nullptr, memory.data(), memory.data()}};
    const std::vector<PencilFamily> there{{.pencils = pencils, .from = {space}, .to = {spectrum}}},
        back{{.pencils = pencils, .from = {spectrum}, .to = {space}}};
    const auto analysis =
        kernels->make(*device, {.transform = real ? DeviceTransform::r2c : DeviceTransform::forward, .n = n}, there);
    const auto synthesis = kernels->make(*device,
                                         {.transform = real ? DeviceTransform::c2r : DeviceTransform::backward,
                                          .n = n,
                                          .scale = 1.0 / static_cast<double>(n)},
                                         back);
    analysis->run(*queue, bases);
    synthesis->run(*queue, bases);
    const auto got = on_host<double>(*queue, memory);
    for (Index v = 0; v < pencils; ++v)
      for (Index i = 0; i < n * element / 8; ++i) {
        const auto at = static_cast<std::size_t>(v * row / 8 + i);
        ASSERT_LE(std::abs(got[at] - data[at]), 1e-13) << "pencil " << v << ", number " << i << ", real " << real;
      }
  }
}

TEST_P(FusedOfAnyDevice, RefuseWhatTheyHaveNoKernelForAndFamiliesThatBreakTheRules) {
  const FusedSpec spec{.n = 64};
  const PencilFamily right{.from = {{.count = 64, .step = 16}}, .to = {{.count = 64, .step = 16}}};
  const auto refused = [&](const FusedSpec& s, const PencilFamily& family, Status status, const char* says) {
    try {
      (void)kernels->make(*device, s, std::span(&family, 1));
      ADD_FAILURE() << "was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.what();
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  refused({.n = 1 << 20}, right, Status::unsupported, "");
  refused({.transform = DeviceTransform::r2c, .n = 65}, right, Status::unsupported, "");
  PencilFamily wrong = right;
  wrong.to[0].pencil_step = 8;
  refused(spec, wrong, Status::invalid_argument, "multiples of 16 bytes");
  wrong = right;
  wrong.outer_axes = PencilStretch::most_outer + 1;
  refused(spec, wrong, Status::invalid_argument, "outer axes");
  wrong = right;
  wrong.pencils = 0;
  refused(spec, wrong, Status::invalid_argument, "at least 1 pencil");
  wrong = right;
  wrong.from[0].count = 63;
  refused(spec, wrong, Status::invalid_argument, "got 63 elements");
  wrong.from.push_back({.first = 62, .count = 1});
  refused(spec, wrong, Status::invalid_argument, "element 62 twice");
  const auto list = kernels->make(*device, spec, std::span(&right, 1));
  EXPECT_THROW(list->run(*queue, {{nullptr, reinterpret_cast<std::byte*>(8)}}), Error);
}

}  // namespace
}  // namespace shardfft::testing
