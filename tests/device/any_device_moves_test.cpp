// Moves of boxes on every device that is here, against a loop over elements.
#include <cmath>

#include <gtest/gtest.h>

#include "device/on_device.hpp"
#include "device/random_boxes.hpp"

namespace shardfft::testing {
namespace {

class MovesOfAnyDevice : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  std::unique_ptr<Queue> queue = device->make_queue();

  template <class T>
  void move_random_list(Random& random, Index boxes, Index most_elements) {
    const auto spec = random_spec<T>(random);
    const auto [list, from_bytes, to_bytes] = random_list(random, spec, boxes, most_elements);
    std::vector<T> input(static_cast<std::size_t>(from_bytes) / sizeof(T) + 8),
        target(static_cast<std::size_t>(to_bytes) / sizeof(T) + 8, T(-7));
    std::iota(input.begin(), input.end(), T(1));
    const Index at = between(random, 0, 3) * static_cast<Index>(sizeof(T));  // arrays that begin at any scalar
    const double scale = 0.25;                                               // exact
    std::vector<T> expected = target;
    for (const BoxMove& box : list)
      for_elements(box, [&](Index f, Index t) {
        for (Index part = 0; part < (spec.complex ? 2 : 1); ++part)
          expected[static_cast<std::size_t>(at + t) / sizeof(T) + static_cast<std::size_t>(part)] =
              input[static_cast<std::size_t>(f) / sizeof(T) + static_cast<std::size_t>(part)] *
              (spec.scales ? T(scale) : T(1)) * (box.conjugates && part == 1 ? T(-1) : T(1));
      });
    const DeviceMemory from = on_device(device, *queue, input), to = on_device(device, *queue, target);
    MoveBases bases;
    bases.start[static_cast<int>(MoveBase::input)] = from.data(),
    bases.start[static_cast<int>(MoveBase::output)] = to.data() + at;
    const auto moves = device->make_moves(spec, list);
    queue->move(*moves, bases, scale);
    std::string all;
    for (const BoxMove& box : list) all += text(box) + "\n";
    ASSERT_EQ(on_host<T>(*queue, to), expected)
        << all << "complex " << spec.complex << ", scales " << spec.scales << ", at " << at;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MovesOfAnyDevice);
INSTANTIATE_TEST_SUITE_P(Here, MovesOfAnyDevice, ::testing::ValuesIn(device_names()), as_word);

TEST_P(MovesOfAnyDevice, BringEveryElementOfRandomBoxesToItsPlaceAndTouchNothingElse) {
  constexpr std::uint64_t seed = 43;
  Random random(seed);
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    const Index boxes = i % 20 == 0 ? 60 : between(random, 0, 5), most = i % 25 == 0 ? 20000 : between(random, 1, 1500);
    i % 2 ? move_random_list<float>(random, boxes, most) : move_random_list<double>(random, boxes, most);
  }
}

// More tiles of 2048 numbers than blocks that a GPU is given: its blocks go on with others.
TEST_P(MovesOfAnyDevice, GoOnWhereThereIsMoreWorkThanBlocks) {
  const Index e = 8, n = static_cast<Index>(std::sqrt(40.0 * 2048 * std::max(1, device->facts().multiprocessors)));
  std::vector<double> data(static_cast<std::size_t>(n * n));
  std::iota(data.begin(), data.end(), 0.0);
  const DeviceMemory from = on_device(device, *queue, data), to(device, from.bytes(), "a test");
  const BoxMove box{.axes = 2,
                    .from_base = MoveBase::input,
                    .to_base = MoveBase::output,
                    .extent = {n, n},
                    .from_step = {n * e, e},
                    .to_step = {e, n * e}};
  MoveBases bases;
  bases.start[static_cast<int>(MoveBase::input)] = from.data(),
  bases.start[static_cast<int>(MoveBase::output)] = to.data();
  const auto moves = device->make_moves({.scalar = Scalar::f64, .complex = false}, std::vector{box});
  EXPECT_EQ(moves->bytes(), n * n * e);
  queue->move(*moves, bases, 1);
  const std::vector<double> got = on_host<double>(*queue, to);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      ASSERT_EQ(got[static_cast<std::size_t>(j * n + i)], static_cast<double>(i * n + j)) << i << " " << j;
}

}  // namespace
}  // namespace shardfft::testing
