// Twiddle factors of what is gathered to tiles, on every device that is here, against the definition in long double.
#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "device/device.hpp"
#include "device/kernels/move_table.hpp"
#include "device/on_device.hpp"
#include "device/random_boxes.hpp"
#include "device/sweep/device_tiles.hpp"
#include "grid/cyclic_axis.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

/// A random place for a box behind `bytes` of other things: its axes in any order, some downwards, with gaps, from any
/// scalar on; conjugated or not.
Patch random_patch(Random& random, const Box& box, Index element, Index scalar, Index& bytes) {
  BoxMove lies{.axes = box.dims(), .from = bytes + scalar * between(random, 0, 3)};
  for (int a = 0; a < box.dims(); ++a) lies.extent[a] = box.extent(a);
  bytes = lies.from + random_steps(random, lies, element, scalar, lies.from_step);
  reverse_some(random, lies, lies.from_step, lies.from);
  Patch patch{.box = box,
              .base = Base::input,
              .offset = lies.from,
              .strides = Coord::filled(box.dims(), 0),
              .conjugated = random() % 3 == 0};
  for (int a = 0; a < box.dims(); ++a) patch.strides[a] = lies.from_step[a];
  return patch;
}

/// Patches that share out a box: it is cut a few times anywhere.
std::vector<Patch> random_patches(Random& random, const Box& box, Index element, Index scalar, Index& bytes) {
  std::vector<Box> parts{box};
  for (Index cuts = between(random, 0, 3); cuts > 0; --cuts) {
    const auto part = static_cast<std::size_t>(between(random, 0, static_cast<Index>(parts.size()) - 1));
    const int axis = static_cast<int>(between(random, 0, box.dims() - 1));
    if (parts[part].extent(axis) < 2) continue;
    Box rest = parts[part];
    parts[part].hi[axis] = rest.lo[axis] = between(random, rest.lo[axis] + 1, rest.hi[axis] - 1);
    parts.push_back(rest);
  }
  std::vector<Patch> patches;
  for (const Box& part : parts) patches.push_back(random_patch(random, part, element, scalar, bytes));
  return patches;
}

Index offset_in(const Patch& patch, const Coord& at) {
  Index bytes = patch.offset;
  for (int a = 0; a < at.dims(); ++a) bytes += (at[a] - patch.box.lo[a]) * patch.strides[a];
  return bytes;
}

class AnyDeviceTwiddles : public ::testing::TestWithParam<std::string> {
 protected:
  /// A tile of one sweep along the second half of a split axis: axes (other half, beside, this half), in any order, of
  /// which the tile holds a part of the other half; both halves may be round_robin, and the axis beside transformed,
  /// too.
  template <class T>
  void check(Random& random) {
    using Complex = std::complex<T>;
    constexpr Index element = sizeof(Complex);
    const Index length = between(random, 1, 40), other = between(random, 1, 60);
    const Transform1d transform =
        std::array{Transform1d::forward, Transform1d::backward, Transform1d::c2r}[random() % 3];
    const bool backward = transform != Transform1d::forward;
    constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const auto [y_axis, beside_axis, k_axis] = orders[random() % 6];
    SweepSpec spec{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .complex_out = transform != Transform1d::c2r};
    spec.axes = {{{.axis = k_axis,
                   .n = length,
                   .transform = transform,
                   .other = y_axis,
                   .whole = length * other,
                   .owners_in = between(random, 1, 3)},
                  {},
                  {other, between(random, 1, 4)}}};
    Box tile{Coord::filled(3, 0), Coord::filled(3, 1)};
    tile.hi[k_axis] = spec.axes.front().length_in();
    tile.lo[beside_axis] = between(random, 0, 3), tile.hi[beside_axis] = tile.lo[beside_axis] + between(random, 1, 5);
    tile.lo[y_axis] = between(random, 0, other - 1), tile.hi[y_axis] = between(random, tile.lo[y_axis] + 1, other);
    if (spec.complex_out && random() % 3 == 0) {
      tile.hi[beside_axis] -= tile.lo[beside_axis], tile.lo[beside_axis] = 0;
      spec.axes.push_back({{.axis = beside_axis, .n = tile.hi[beside_axis], .transform = transform}});
    }
    const TileForm form = form_of(spec, tile);

    Index bytes = 0;
    const std::vector<Patch> patches = random_patches(random, tile, element, sizeof(T), bytes);
    std::vector<T> x(static_cast<std::size_t>(bytes) / sizeof(T));
    for (T& number : x) number = static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random));
    const DevicePlace work{MoveBase::work, element * between(random, 0, 3)};
    const MoveSpec moves{.scalar = spec.scalar, .twiddles = twiddles_of(spec, tile, form, work.at)};
    const std::vector<BoxMove> boxes = gathers(spec, patches, tile, work, form.in_strides);
    count_ways<T>(moves, boxes);
    const DeviceMemory from = on_device(device, *queue, x),
                       to(device, static_cast<std::size_t>(work.at + form.in_bytes), "a tile");
    MoveBases bases;
    bases.start[static_cast<int>(MoveBase::input)] = from.data(),
    bases.start[static_cast<int>(MoveBase::work)] = to.data();
    const auto list = device->make_moves(moves, boxes);
    queue->move(*list, bases, 1);
    const auto got = on_host<Complex>(*queue, to);

    const SweepAxis& swept = spec.axes.front();
    for (const Patch& patch : patches)
      for (Index a = patch.box.lo[0]; a < patch.box.hi[0]; ++a)
        for (Index b = patch.box.lo[1]; b < patch.box.hi[1]; ++b)
          for (Index c = patch.box.lo[2]; c < patch.box.hi[2]; ++c) {
            Coord at{a, b, c};
            const T* const given = x.data() + offset_in(patch, at) / static_cast<Index>(sizeof(T));
            at[k_axis] = CyclicMap{swept.length_in(), swept.owners_in}.index(at[k_axis]);
            Index place = work.at;
            for (int d = 0; d < 3; ++d) place += (at[d] - tile.lo[d]) * form.in_strides[d];
            const long double angle = (backward ? 2 : -2) * long_pi *
                                      static_cast<long double>(at[k_axis] * swept.other_map.index(at[y_axis])) /
                                      static_cast<long double>(length * other);
            const std::complex<long double> expected =
                std::complex<long double>(given[0], patch.conjugated ? -given[1] : given[1]) * std::polar(1.0L, angle);
            ASSERT_LE(std::abs(std::complex<long double>(got[static_cast<std::size_t>(place / element)]) - expected),
                      4 * std::numeric_limits<T>::epsilon())
                << to_string(Shape{length, other, swept.owners_in, swept.other_map.owners}) << ", element " << a << " "
                << b << " " << c;
          }
  }

  template <class T>
  void count_ways(const MoveSpec& spec, const std::vector<BoxMove>& boxes) {
    for (const PreparedMove& box : make_move_table(spec, boxes).boxes)
      ++(box.way == MoveWay::tiles                        ? tiles
         : box.access > static_cast<Index>(2 * sizeof(T)) ? several_elements
         : box.access < static_cast<Index>(2 * sizeof(T)) ? parts_of_elements
                                                          : whole_elements);
  }

  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  std::unique_ptr<Queue> queue = device->make_queue();
  int tiles = 0, several_elements = 0, whole_elements = 0,
      parts_of_elements = 0;  // boxes, by what the kernel could touch at once
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AnyDeviceTwiddles);
INSTANTIATE_TEST_SUITE_P(Here, AnyDeviceTwiddles, ::testing::ValuesIn(device_names()), as_word);

TEST_P(AnyDeviceTwiddles, AreThePowersThatTheHalvesOfASplitAxisWantOfWhateverIsGathered) {
  constexpr std::uint64_t seed = 20261123;
  Random random(seed);
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    check<double>(random);
    check<float>(random);
  }
  EXPECT_GT(tiles, 0);
  EXPECT_GT(several_elements, 0);
  EXPECT_GT(whole_elements, 0);
  EXPECT_GT(parts_of_elements, 0);
}

// Far beyond what a tile of a test holds, in steps that do not fit 31 bits.
TEST_P(AnyDeviceTwiddles, OfLongAxesAreAsExact) {
  constexpr Index length = 1 << 20, other = 1 << 18, whole = length * other, element = sizeof(std::complex<double>);
  const DeviceMemory from = on_device(device, *queue, std::vector<std::complex<double>>(length, 1.0)),
                     to(device, from.bytes(), "a tile");
  MoveBases bases;
  bases.start[static_cast<int>(MoveBase::input)] = from.data(),
  bases.start[static_cast<int>(MoveBase::work)] = to.data();
  for (const Index owners : {1, 5}) {
    constexpr Index counted = other - 3;
    const Index y = CyclicMap{other, owners}.index(counted);
    const TileTwiddles twiddles{
        .n = whole, .length = length, .other_step = length, .from = counted, .other_length = other, .owners = owners};
    const BoxMove box{.axes = 1,
                      .from_base = MoveBase::input,
                      .to_base = MoveBase::work,
                      .extent = {length},
                      .from_step = {element},
                      .to_step = {element}};
    const auto list = device->make_moves({.twiddles = twiddles}, std::vector{box});
    queue->move(*list, bases, 1);
    const auto x = on_host<std::complex<double>>(*queue, to);
    for (Index k = 0; k < length; k += 4099) {
      const long double angle = -2 * long_pi * static_cast<long double>(k * y) / static_cast<long double>(whole);
      ASSERT_LE(std::abs(std::complex<long double>(x[static_cast<std::size_t>(k)]) - std::polar(1.0L, angle)), 3e-16L)
          << k << ", owners " << owners;
    }
  }
}

}  // namespace
}  // namespace shardfft::testing
