// Graphs (device/device.hpp) on every device that is here: captured once, launched again and again.
#include <complex>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "device/on_device.hpp"
#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

using Numbers = std::vector<double>;

class AnyDeviceGraph : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  std::unique_ptr<Queue> queue = device->make_queue(), other = device->make_queue();
  void SetUp() override {
    if (device->space() == "sycl") GTEST_SKIP() << "queues of sycl capture nothing";
  }

  /// x[i] to y[i], all doubles.
  std::unique_ptr<MoveList> moves(const DeviceMemory& from, const DeviceMemory& to) const {
    const BoxMove box{.axes = 1,
                      .from = reinterpret_cast<Index>(from.data()),
                      .to = reinterpret_cast<Index>(to.data()),
                      .extent = {static_cast<Index>(from.bytes() / sizeof(double))},
                      .from_step = {sizeof(double)},
                      .to_step = {sizeof(double)}};
    return device->make_moves({.scalar = Scalar::f64, .complex = false, .scales = true}, std::vector{box});
  }
  std::unique_ptr<Graph> captured(const std::function<void()>& calls) const {
    auto graph = queue->capture(calls);
    EXPECT_TRUE(graph);
    return graph;
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AnyDeviceGraph);
INSTANTIATE_TEST_SUITE_P(Here, AnyDeviceGraph, ::testing::ValuesIn(device_names()), as_word);

TEST_P(AnyDeviceGraph, DoesNothingWhenItIsCapturedAndAllOfItAtEachLaunch) {
  const Numbers ones(1000, 1.0);
  const DeviceMemory x = on_device(device, *queue, ones), y = on_device(device, *queue, Numbers(1000, 5.0));
  const auto there = moves(x, y);
  const auto graph = captured([&] {
    queue->move(*there, {}, -2);
    queue->copy(x.data(), y.data(), y.bytes());
    queue->zero(y.data(), sizeof(double));
  });
  ASSERT_EQ(on_host<double>(*queue, x), ones);
  ASSERT_EQ(on_host<double>(*queue, y), Numbers(1000, 5.0));
  for (int launch = 0; launch < 3; ++launch) queue->launch(*graph);
  EXPECT_EQ(on_host<double>(*queue, x), Numbers(1000, -8.0));
  Numbers expected(1000, -8.0);
  expected[0] = 0;
  EXPECT_EQ(on_host<double>(*queue, y), expected);
}

// In the order of the queue in which it is launched: the default one, too, which cannot be captured itself.
TEST_P(AnyDeviceGraph, ComesAfterWhatWasAskedBeforeAndBeforeWhatIsAskedLater) {
  const DeviceMemory x = on_device(device, *queue, Numbers(100, 0.0)), y = on_device(device, *queue, Numbers(100, 0.0)),
                     pinned(device, x.bytes(), "a test", MemoryKind::pinned);
  const auto there = moves(x, y);
  const auto graph = captured([&] { queue->move(*there, {}, 3); });
  const auto callers = device->queue_of(nullptr);
  EXPECT_EQ(callers->capture([] {}), nullptr);
  for (Queue* in : {callers.get(), other.get()})
    for (int value = 1; value < 5; ++value) {
      const Numbers data(100, value);
      std::memcpy(pinned.data(), data.data(), pinned.bytes());
      in->copy(x.data(), pinned.data(), x.bytes());
      in->launch(*graph);
      in->zero(x.data(), x.bytes());
      EXPECT_EQ(on_host<double>(*in, y), Numbers(100, 3.0 * value));
    }
}

TEST_P(AnyDeviceGraph, HasWorkOfQueuesThatForkAndJoin) {
  const DeviceMemory x = on_device(device, *queue, Numbers(1000, 1.0)), y(device, x.bytes(), "a test"),
                     z(device, x.bytes(), "a test"), both(device, x.bytes(), "a test");
  const auto to_y = moves(x, y), to_z = moves(y, z), to_x = moves(z, x), to_both = moves(y, both);
  const auto forked = device->make_event(), joined = device->make_event();
  const auto graph = captured([&] {
    queue->move(*to_y, {}, 2);
    queue->record(*forked);
    other->wait(*forked);
    other->move(*to_z, {}, 5);
    other->record(*joined);
    queue->move(*to_both, {}, 7);
    queue->wait(*joined);
    queue->move(*to_x, {}, 0.2);
  });
  for (int launch = 0; launch < 4; ++launch) queue->launch(*graph);
  EXPECT_EQ(on_host<double>(*queue, x), Numbers(1000, 16.0));
  EXPECT_EQ(on_host<double>(*queue, both), Numbers(1000, 7 * 16.0));
  other->record(*joined);  // events and queues are as before
  queue->wait(*joined);
  joined->synchronize();
  EXPECT_TRUE(other->idle());
}

TEST_P(AnyDeviceGraph, HasTransforms) {
  using Complex = std::complex<double>;
  constexpr Index n = 16, batch = 6;
  std::vector<Complex> ones(static_cast<std::size_t>(n * batch), 1.0);
  const DeviceMemory x = on_device(device, *queue, ones), y(device, x.bytes(), "a test"),
                     z(device, x.bytes(), "a test");
  const auto fft = device->make_fft({.n = {n}, .batch = batch}), second = device->make_fft({.n = {n}, .batch = batch});
  const DeviceMemory work(device, fft->work_bytes(), "a test"), others(device, second->work_bytes(), "a test");
  const auto forked = device->make_event(), joined = device->make_event();
  const auto graph = captured([&] {
    queue->record(*forked);
    other->wait(*forked);
    fft->run(*queue, x.data(), y.data(), work.data());
    second->run(*other, x.data(), z.data(), others.data());
    other->record(*joined);
    queue->wait(*joined);
  });
  for (std::size_t i = 0; i < ones.size(); ++i) ones[i] = i % n == 0 ? double(n) : 0.0;
  for (int launch = 0; launch < 2; ++launch) {
    queue->zero(y.data(), y.bytes()), queue->zero(z.data(), z.bytes());
    queue->launch(*graph);
    for (const DeviceMemory* result : {&y, &z}) {
      const auto got = on_host<Complex>(*queue, *result);
      for (std::size_t i = 0; i < ones.size(); ++i) ASSERT_LT(std::abs(got[i] - ones[i]), 1e-12) << i;
    }
  }
}

// The emulated device says what was wrong; a vendor's library makes no graph. Either way queues go on.
TEST_P(AnyDeviceGraph, IsNotMadeOfCallsThatNoGraphCanHave) {
  const DeviceMemory x = on_device(device, *queue, Numbers(10, 1.0));
  const auto event = device->make_event(), before = device->make_event();
  other->record(*before);
  const std::vector<std::function<void()>> wrong{[&] {
                                                   queue->zero(x.data(), 8);
                                                   queue->synchronize();
                                                 },
                                                 [&] {
                                                   queue->record(*event);
                                                   event->synchronize();
                                                 },
                                                 [&] {
                                                   queue->record(*event);
                                                   other->wait(*event);
                                                   other->zero(x.data(), 8);
                                                 },
                                                 [&] {
                                                   queue->zero(x.data(), 8);
                                                   queue->wait(*before);
                                                 },
                                                 [&] { throw Error(Status::device_failed, "the calls' own"); }};
  for (const auto& calls : wrong) {
    std::unique_ptr<Graph> graph;
    try {
      graph = queue->capture(calls);
    } catch (const Error& error) { EXPECT_EQ(error.status(), Status::device_failed) << error.what(); }
    EXPECT_FALSE(graph) << &calls - wrong.data();
    other->record(*event);
    queue->wait(*event);
    queue->synchronize(), other->synchronize();
    EXPECT_EQ(on_host<double>(*queue, x), Numbers(10, 1.0)) << &calls - wrong.data();
  }
}

}  // namespace
}  // namespace shardfft::testing
