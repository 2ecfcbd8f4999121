// Twiddle factors of tiles, on every device that is here, against the definition in long double.
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "device/device.hpp"
#include "device/on_device.hpp"
#include "device/twiddles.hpp"
#include "sweep/device_tiles.hpp"

namespace shardfft::testing {
namespace {

class AnyDeviceTwiddles : public ::testing::TestWithParam<std::string> {
 protected:
  /// A tile of one sweep along the second half of a split axis: axes (other half, beside, this half), in any order, of which the tile holds a part of the other half.
  template <class T>
  void check(std::mt19937_64& random) {
    const auto pick = [&](Index least, Index most) { return std::uniform_int_distribution<Index>(least, most)(random); };
    const Index length = pick(1, 40), other = pick(1, 60), hands = pick(1, 4);
    const Transform1d transform = std::array{Transform1d::forward, Transform1d::backward, Transform1d::c2r}[static_cast<std::size_t>(pick(0, 2))];
    const bool backward = transform != Transform1d::forward;
    const int order = static_cast<int>(pick(0, 5));
    constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const auto [y_axis, beside_axis, k_axis] = orders[order];
    const Deal deal{other, hands};
    SweepSpec spec{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .complex_out = transform != Transform1d::c2r};
    spec.axes = {{.axis = k_axis, .n = length, .transform = transform, .other = y_axis, .whole = length * other, .other_deal = deal}};
    Box tile{Coord::filled(3, 0), Coord::filled(3, 1)};
    tile.hi[k_axis] = spec.axes.front().length_in();
    tile.lo[beside_axis] = pick(0, 3), tile.hi[beside_axis] = tile.lo[beside_axis] + pick(1, 5);
    tile.lo[y_axis] = pick(0, other - 1), tile.hi[y_axis] = pick(tile.lo[y_axis] + 1, other);
    const TileForm form = form_of(spec, tile);
    std::vector<std::complex<T>> x(static_cast<std::size_t>(tile.count()));
    for (auto& z : x) z = {static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random)), static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random))};
    const DeviceMemory memory = on_device(device, *queue, x);
    for (TwiddleTile task : twiddles_of(spec, tile, form)) {
      task.tile = memory.data();
      queue->run(task);
    }
    const auto y = on_host<std::complex<T>>(*queue, memory);
    for (Index a = tile.lo[0]; a < tile.hi[0]; ++a)
      for (Index b = tile.lo[1]; b < tile.hi[1]; ++b)
        for (Index c = tile.lo[2]; c < tile.hi[2]; ++c) {
          const Coord at{a, b, c};
          Index bytes = 0;
          for (int d = 0; d < 3; ++d) bytes += (at[d] - tile.lo[d]) * form.in_strides[d];
          const auto i = static_cast<std::size_t>(bytes) / sizeof(std::complex<T>);
          const long double angle = (backward ? 2 : -2) * std::numbers::pi_v<long double> * static_cast<long double>(at[k_axis] * deal.index(at[y_axis])) / static_cast<long double>(length * other);
          const std::complex<long double> expected = std::complex<long double>(x[i]) * std::polar(1.0L, angle);
          ASSERT_LE(std::abs(std::complex<long double>(y[i]) - expected), 4 * std::numeric_limits<T>::epsilon()) << to_string(Shape{length, other, hands}) << ", element " << a << " " << b << " " << c;
        }
  }
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  std::unique_ptr<Queue> queue = device->make_queue();
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AnyDeviceTwiddles);
INSTANTIATE_TEST_SUITE_P(Here, AnyDeviceTwiddles, ::testing::ValuesIn(device_names()), as_word);

TEST_P(AnyDeviceTwiddles, AreThePowersThatTheHalvesOfASplitAxisWant) {
  std::mt19937_64 random(20261123);
  for (int i = 0; i < 60; ++i) {
    check<double>(random);
    check<float>(random);
  }
}

// Far beyond what a tile of a test holds, in steps that do not fit 31 bits.
TEST_P(AnyDeviceTwiddles, OfLongAxesAreAsExact) {
  constexpr Index length = 1 << 20, whole = length << 18;
  std::vector<std::complex<double>> x(length, 1.0);
  const DeviceMemory memory = on_device(device, *queue, x);
  constexpr Index y = (1 << 18) - 3;
  queue->run(TwiddleTile{.n = whole, .elements = length, .length = length, .step = 1, .other_extent = 1, .other_step = length, .y = y, .tile = memory.data()});
  x = on_host<std::complex<double>>(*queue, memory);
  for (Index k = 0; k < length; k += 4099) {
    const long double angle = -2 * std::numbers::pi_v<long double> * static_cast<long double>(k * y) / static_cast<long double>(whole);
    ASSERT_LE(std::abs(std::complex<long double>(x[static_cast<std::size_t>(k)]) - std::polar(1.0L, angle)), 3e-16L) << k;
  }
}

}  // namespace
}  // namespace shardfft::testing
