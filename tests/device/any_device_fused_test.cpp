// Fused transforms, on every device that is here and has kernels for them, against sums that follow the definition.
#include <complex>
#include <numbers>

#include "device/fused.hpp"
#include "device/on_device.hpp"
#include "device/random_boxes.hpp"
#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

using Complex = std::complex<long double>;

std::vector<Complex> by_definition(const std::vector<Complex>& x, int sign) {
  const auto n = static_cast<Index>(x.size());
  std::vector<Complex> y(x.size()), root(x.size());
  for (Index k = 0; k < n; ++k) root[static_cast<std::size_t>(k)] = std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n));
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j) y[static_cast<std::size_t>(k)] += x[static_cast<std::size_t>(j)] * root[static_cast<std::size_t>(j * k % n)];
  return y;
}

class FusedOfAnyDevice : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  const FusedKernels* kernels = find_fused(device->space());
  std::unique_ptr<Queue> queue = device->make_queue();

  void SetUp() override {
    if (!kernels) GTEST_SKIP() << "no fused kernels were compiled in for " << device->space();
  }

  /// A random family of pencils of `n` elements from one array to another, both with gaps, whose axes lie in any order.
  template <class T>
  void compare(Random& random, Index n, Index pencils) {
    constexpr Index element = 2 * sizeof(T);
    const MoveSpec elements{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .complex = true};
    BoxMove box{.axes = 2 + static_cast<int>(between(random, 0, FusedSpec::most_outer)), .extent = {n, pencils}};
    for (int a = 2; a < box.axes; ++a) box.extent[a] = n > 256 ? 1 : between(random, 1, n > 64 ? 2 : 3);
    const Index from_bytes = random_steps(random, box, element, element, box.from_step), to_bytes = random_steps(random, box, element, element, box.to_step);
    const auto axis = [&](int a) { return MoveAxis{box.extent[a], box.from_step[a], box.to_step[a]}; };
    FusedSpec spec{.scalar = elements.scalar, .backward = random() % 2 == 0, .k = axis(0), .v = axis(1), .outer_axes = box.axes - 2, .scale = 0.5};
    for (int a = 2; a < box.axes; ++a) spec.outer[a - 2] = axis(a);

    std::vector<std::complex<T>> source(static_cast<std::size_t>(from_bytes / element)), target(static_cast<std::size_t>(to_bytes / element) + 3, {T(77), T(77)}), expected = target;
    for (auto& x : source) x = {static_cast<T>(static_cast<double>(between(random, -999, 999)) / 1000), static_cast<T>(static_cast<double>(between(random, -999, 999)) / 1000)};
    BoxMove starts = box;
    starts.extent[0] = 1;
    for_elements(starts, [&](Index f, Index t) {
      std::vector<Complex> pencil;
      for (Index k = 0; k < n; ++k) pencil.emplace_back(source[static_cast<std::size_t>((f + k * box.from_step[0]) / element)]);
      pencil = by_definition(pencil, spec.backward ? +1 : -1);
      for (Index k = 0; k < n; ++k) expected[static_cast<std::size_t>((t + k * box.to_step[0]) / element)] = std::complex<T>(pencil[static_cast<std::size_t>(k)] * static_cast<long double>(spec.scale));
    });
    const DeviceMemory from = on_device(device, *queue, source), to = on_device(device, *queue, target);
    kernels->run(*queue, spec, from.data(), to.data());
    const auto got = on_host<std::complex<T>>(*queue, to);
    const double most = 4 * std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(n)) * std::log2(static_cast<double>(n) + 2);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_LE(std::abs(got[i] - expected[i]), expected[i] == target[i] ? 0 : most) << "at " << i << ", n " << n << ", " << text(box) << ", backward " << spec.backward;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedOfAnyDevice);
INSTANTIATE_TEST_SUITE_P(Here, FusedOfAnyDevice, ::testing::ValuesIn(device_names()), as_word);

TEST_P(FusedOfAnyDevice, TransformEveryPencilOfRandomFamiliesAndTouchNothingElse) {
  constexpr std::uint64_t seed = 61;
  Random random(seed);
  for (const Index n : {1, 3, 7, 16, 64, 128, 256})
    for (int i = 0; i < 8 && !HasFailure(); ++i) {
      if (!kernels->supports(n, Scalar::f64)) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
      const Index pencils = between(random, 1, n > 64 ? 2 : 12);
      i % 2 ? compare<float>(random, n, pencils) : compare<double>(random, n, pencils);
    }
}

TEST_P(FusedOfAnyDevice, TransformTheLongestPencils) {
  Random random(62);
  for (const Index n : {512, 1024, 2048}) {
    if (!kernels->supports(n, Scalar::f64)) continue;
    compare<float>(random, n, 1);
    compare<double>(random, n, 1);
  }
}

TEST_P(FusedOfAnyDevice, WorkInPlace) {
  const Index n = 64, pencils = 10;
  ASSERT_TRUE(kernels->supports(n, Scalar::f64));
  std::vector<std::complex<double>> data(static_cast<std::size_t>(n * pencils));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = {static_cast<double>(i % 17), static_cast<double>(i % 5)};
  const DeviceMemory memory = on_device(device, *queue, data);
  FusedSpec spec{.scalar = Scalar::f64, .k = {n, pencils * 16, pencils * 16}, .v = {pencils, 16, 16}};
  kernels->run(*queue, spec, memory.data(), memory.data());
  spec.backward = true;
  spec.scale = 1.0 / static_cast<double>(n);
  kernels->run(*queue, spec, memory.data(), memory.data());
  const auto got = on_host<std::complex<double>>(*queue, memory);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_LE(std::abs(got[i] - data[i]), 1e-13);
}

TEST_P(FusedOfAnyDevice, RefuseWhatTheyHaveNoKernelForAndStepsBetweenNumbers) {
  const DeviceMemory memory = on_device(device, *queue, std::vector<double>(1000));
  const FusedSpec right{.scalar = Scalar::f64, .k = {64, 16, 16}};
  const auto refused = [&](const FusedSpec& spec, Status status) {
    try {
      kernels->run(*queue, spec, memory.data(), memory.data());
      ADD_FAILURE() << "was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.what();
    }
  };
  FusedSpec wrong = right;
  wrong.k.extent = 1 << 20;
  refused(wrong, Status::unsupported);
  wrong = right;
  wrong.v.to_step = 8;
  refused(wrong, Status::invalid_argument);
  wrong = right;
  wrong.outer_axes = 5;
  refused(wrong, Status::invalid_argument);
  wrong = right;
  wrong.v.extent = 0;
  refused(wrong, Status::invalid_argument);
}

}  // namespace
}  // namespace shardfft::testing
