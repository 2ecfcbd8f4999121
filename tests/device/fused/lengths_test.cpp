// Fused transforms of every length that GPUs have kernels for, however pencils lie: sums of waves, whose transforms are
// known.
#include <cmath>

#include "device/fused/on_device.hpp"
#include "device/fused/places.hpp"
#include "support/chosen.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

/// How pencils lie: next to each other or one after the other, whole or in two stretches, upwards or down.
struct Way {
  bool across = false, cut = false, down = false, odd = false;  ///< odd: reals do not begin where complex numbers may
};
constexpr Way ways[] = {{},
                        {.across = true},
                        {.cut = true},
                        {.across = true, .cut = true},
                        {.down = true},
                        {.odd = true},
                        {.across = true, .down = true}};

std::vector<PencilStretch> lying(const Way& way, Index length, Index pencils, Index element, MoveBase base) {
  const Index gap = way.odd ? element : 4 * element, step = way.across ? pencils * element : element;
  PencilStretch s{.count = length, .base = base, .at = gap, .step = step, .pencil_step = element};
  if (!way.across) s.pencil_step = length * element + 2 * gap;
  if (way.down) s.at += (length - 1) * step, s.step = -step;
  if (!way.cut || length < 2) return {s};
  PencilStretch rest = s;
  s.count = length / 2;
  rest.first = s.count, rest.count = length - s.count, rest.at += s.count * s.step;
  return {s, rest};
}

// Pencil v is a sum of three waves, or its result is. Linear in n where by_definition() is not.
struct Waves {
  Index n, at[3];
  double height[3];
  Waves(Index length, Index v) : n(length) {
    for (int i = 0; i < 3; ++i) at[i] = (v * 7 + i * (length / 3 + 1) + 1) % n, height[i] = 1 + 0.25 * i;
  }
  [[nodiscard]] Complex impulses(Index k) const {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += at[i] == k ? height[i] : 0;
    return static_cast<long double>(sum);
  }
  /// The transform of the impulses.
  [[nodiscard]] Complex waves(Index k, int sign) const {
    Complex sum = 0;
    for (int i = 0; i < 3; ++i)
      sum += std::polar<long double>(
          height[i], sign * 2 * long_pi * static_cast<long double>(at[i] * k % n) / static_cast<long double>(n));
    return sum;
  }
};

template <class T>
void check_waves(const std::shared_ptr<Device>& device, const FusedKernels& kernels, Queue& queue,
                 DeviceTransform transform, Index n, const Way& from_way, const Way& to_way, Index pencils) {
  const FusedSpec spec{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .transform = transform, .n = n};
  ASSERT_TRUE(kernels.supports(spec));
  const PencilFamily family{
      .pencils = pencils,
      .from = lying(from_way, spec.length_in(), pencils, spec.element_bytes(spec.complex_in()), MoveBase::input),
      .to = lying(to_way, spec.length_out(), pencils, spec.element_bytes(spec.complex_out()), MoveBase::output)};
  const auto room = static_cast<std::size_t>((n + 16) * 2 * (pencils + 1));
  std::vector<T> source(room, T(3)), target(room, T(77)), expected = target;
  // For reals the impulses are the input of r2c, and the waves that of c2r.
  const auto run = [&](bool waves_come_in) {
    const Index no_outer[PencilStretch::most_outer] = {};
    for (Index v = 0; v < pencils; ++v) {
      const Waves pencil(n, v);
      const auto value = [&](Index k, bool waves) {
        return waves ? pencil.waves(k, waves_come_in == spec.backward() ? -1 : 1) : pencil.impulses(k);
      };
      for_places(family, family.from, v, no_outer,
                 [&](Index k, Index at) { put(source, at, value(k, waves_come_in), spec.complex_in()); });
      for_places(family, family.to, v, no_outer, [&](Index k, Index at) {
        put(expected, at, value(k, !waves_come_in) * static_cast<long double>(waves_come_in ? n : 1),
            spec.complex_out());
      });
    }
    const DeviceMemory from = on_device(device, queue, source), to = on_device(device, queue, target);
    const auto list = kernels.make(*device, spec, std::span(&family, 1));
    list->run(queue, {{nullptr, from.data(), to.data()}});
    const auto got = on_host<T>(queue, to);
    const double most = 16 * std::numeric_limits<T>::epsilon() * std::log2(static_cast<double>(n)) *
                        (waves_come_in ? static_cast<double>(n) : 1);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_LE(std::abs(got[i] - expected[i]), expected[i] == target[i] ? 0 : most) << "at " << i;
  };
  if (transform != DeviceTransform::r2c) run(true);
  if (transform != DeviceTransform::c2r) run(false);
}

class FusedLengthsOfAnyDevice : public FusedOnDevice {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedLengthsOfAnyDevice);
INSTANTIATE_TEST_SUITE_P(Here, FusedLengthsOfAnyDevice, ::testing::ValuesIn(device_names()), as_word);

TEST_P(FusedLengthsOfAnyDevice, TransformEveryLengthOfGpusHoweverPencilsLie) {
  Sample sample;
  std::size_t turn = 0;
  for (const Index m : {64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 2048})
    for (const DeviceTransform transform : transforms) {
      const bool real = transform == DeviceTransform::r2c || transform == DeviceTransform::c2r;
      const Index n = real ? 2 * m : m;
      for (int i = 0; i < 2; ++i, ++turn) {  // over all lengths all pairs of ways
        if (!sample.takes()) continue;
        const Way &from = ways[turn % std::size(ways)], &to = ways[turn / std::size(ways) % std::size(ways)];
        SCOPED_TRACE("n " + std::to_string(n) + ", transform " + std::to_string(static_cast<int>(transform)) +
                     ", turn " + std::to_string(turn));
        check_waves<float>(device, *kernels, *queue, transform, n, from, to, 9);
        check_waves<double>(device, *kernels, *queue, transform, n, from, to, 5);
        if (HasFatalFailure()) return;
      }
    }
}

TEST_P(FusedLengthsOfAnyDevice, TransformMorePencilsThanAGridTakesAtOnce) {
  for (const Way& way : {ways[0], ways[1]}) {
    check_waves<float>(device, *kernels, *queue, DeviceTransform::forward, 64, way, way, 1000);
    check_waves<double>(device, *kernels, *queue, DeviceTransform::r2c, 128, way, way, 500);
  }
}

}  // namespace
}  // namespace shardfft::testing
