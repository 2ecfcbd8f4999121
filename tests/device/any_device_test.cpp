// What every device promises (device/device.hpp), on every device that is here: GPUs where there are some, and the
// emulated one.
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "device/on_device.hpp"
#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

using Numbers = std::vector<double>;

Numbers numbered(std::size_t count, double first) {
  Numbers all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

class AnyDevice : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  const DeviceDriver* driver = find_driver(device->space());
  std::unique_ptr<Queue> queue = device->make_queue();
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AnyDevice);
INSTANTIATE_TEST_SUITE_P(Here, AnyDevice, ::testing::ValuesIn(device_names()), as_word);

TEST_P(AnyDevice, SaysWhatItIs) {
  const DeviceFacts facts = device->facts();
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GT(facts.memory_bytes, 0u);
  EXPECT_LE(facts.free_bytes, facts.memory_bytes);
  EXPECT_FALSE(driver->library().empty());
  EXPECT_EQ(GetParam(), std::string(device->space()) + ":" + std::to_string(device->number()));
}

TEST_P(AnyDevice, CopiesBetweenHostAndItselfInTheOrderOfTheQueue) {
  const Numbers data = numbered(1000, 1);
  const DeviceMemory first = on_device(device, *queue, data);
  const DeviceMemory second(device, first.bytes(), "a test"),
      pinned(device, first.bytes(), "a test", MemoryKind::pinned);
  queue->copy(second.data(), first.data(), first.bytes());
  queue->zero(first.data(), first.bytes());
  queue->copy(pinned.data(), second.data(), second.bytes());
  queue->synchronize();
  EXPECT_TRUE(queue->idle());
  EXPECT_EQ(std::memcmp(pinned.data(), data.data(), pinned.bytes()), 0);
  EXPECT_EQ(on_host<double>(*queue, first), Numbers(1000, 0.0));
}

TEST_P(AnyDevice, GivesMemoryThatIsAlignedAndKnown) {
  const DeviceMemory memory(device, 1000, "a test"), pinned(device, 1000, "a test", MemoryKind::pinned);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 256, 0u);
  EXPECT_TRUE(driver->points_to(memory.data() + 999).device);
  EXPECT_EQ(driver->points_to(memory.data()).number, device->number());
  EXPECT_FALSE(driver->points_to(pinned.data()).device);
  EXPECT_TRUE(driver->points_to(pinned.data() + 999).pinned);
  EXPECT_FALSE(driver->points_to(memory.data()).pinned);
  int local = 0;
  EXPECT_FALSE(driver->points_to(&local).device);
  EXPECT_FALSE(driver->points_to(&local).pinned);
}

TEST_P(AnyDevice, SaysForWhatMemoryIsMissing) {
  try {
    static_cast<void>(device->allocate(std::size_t{1} << 55, "the moon"));
    FAIL() << "there are not so many bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::out_of_memory) << error.what();
    EXPECT_NE(std::string(error.what()).find("the moon"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::to_string(std::size_t{1} << 55)), std::string::npos) << error.what();
  }
  const DeviceMemory next(device, 1000, "a test");  // nothing is left of the error
  queue->zero(next.data(), next.bytes());
  queue->synchronize();
}

// Rows of planes that lie in two arrays with gaps of several kinds, planes inside rows too.
TEST_P(AnyDevice, CopiesRowsBetweenAnyTwoPlacesAndTouchesNothingElse) {
  constexpr Index planes = 3, rows = 5, e = sizeof(double);
  struct Steps {
    Index plane, row;
  };
  for (const Steps to : {Steps{rows * 4 * e, 4 * e}, Steps{rows * 6 * e, 6 * e}, Steps{rows * 5 * e + 2 * e, 5 * e},
                         Steps{4 * e, planes * 4 * e}})
    for (const Steps from : {Steps{rows * 4 * e, 4 * e}, Steps{(rows + 1) * 7 * e, 7 * e},
                             Steps{rows * 5 * e + e, 5 * e}, Steps{5 * e, planes * 5 * e + e}})
      for (const bool upwards : {true, false}) {
        const Numbers source = numbered(200, 1);
        Numbers expected = numbered(200, -1000), got = expected;
        for (Index p = 0; p < planes; ++p)
          for (Index r = 0; r < rows; ++r)
            std::memcpy(reinterpret_cast<std::byte*>(expected.data()) + p * to.plane + r * to.row,
                        reinterpret_cast<const std::byte*>(source.data()) + p * from.plane + r * from.row, 4 * e);
        const DeviceMemory there = on_device(device, *queue, upwards ? got : source);
        RowsCopy copy{.row_bytes = 4 * e,
                      .planes = planes,
                      .rows = rows,
                      .to_plane_step = to.plane,
                      .to_row_step = to.row,
                      .from_plane_step = from.plane,
                      .from_row_step = from.row};
        copy.to = upwards ? there.data() : reinterpret_cast<std::byte*>(got.data());
        copy.from = upwards ? reinterpret_cast<const std::byte*>(source.data()) : there.data();
        queue->copy_rows(copy);
        queue->synchronize();
        ASSERT_EQ(upwards ? on_host<double>(*queue, there) : got, expected)
            << to.plane << " " << to.row << " " << from.plane << " " << from.row << " upwards " << upwards;
      }
}

TEST_P(AnyDevice, QueuesWaitForEachOtherThroughEvents) {
  const std::size_t count = 1 << 16;
  const auto other = device->make_queue();
  const auto first = device->make_event(), second = device->make_event();
  EXPECT_TRUE(first->done());
  other->wait(*first);  // never recorded: nothing to wait for
  const DeviceMemory memory = on_device(device, *queue, Numbers(count, -1.0)), copy(device, memory.bytes(), "a test");
  for (int round = 1; round <= 20; ++round) {
    const Numbers data(count, round);
    const DeviceMemory pinned(device, memory.bytes(), "a test", MemoryKind::pinned);
    std::memcpy(pinned.data(), data.data(), memory.bytes());
    queue->wait(*second);  // until the last round was copied away
    queue->copy(memory.data(), pinned.data(), memory.bytes());
    queue->record(*first);
    other->wait(*first);
    other->copy(copy.data(), memory.data(), memory.bytes());
    other->record(*second);
    second->synchronize();
    EXPECT_TRUE(first->done());
    ASSERT_EQ(on_host<double>(*other, copy), data) << round;
  }
}

TEST_P(AnyDevice, TimedEventsTellTheTimeBetweenThem) {
  const DeviceMemory memory(device, 1 << 20, "a test");
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 3; ++i) events.push_back(device->make_timed_event());
  queue->synchronize();
  const auto before = std::chrono::steady_clock::now();
  for (const auto& event : events) {
    queue->record(*event);
    queue->zero(memory.data(), memory.bytes());
  }
  events.back()->synchronize();
  const double on_host = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  const double first = events[1]->seconds_since(*events[0]), second = events[2]->seconds_since(*events[1]),
               both = events[2]->seconds_since(*events[0]);
  EXPECT_GT(first, 0);
  EXPECT_GT(second, 0);
  EXPECT_NEAR(first + second, both, 2e-6);
  EXPECT_LE(both, 1.01 * on_host + 1e-6);
  EXPECT_THROW((void)events[1]->seconds_since(*device->make_event()), Error);
}

TEST_P(AnyDevice, WorksOnTheCallersQueueToo) {
  const auto own = device->queue_of(nullptr);
  const auto again = device->queue_of(queue->native());
  EXPECT_EQ(again->native(), queue->native());
  for (Queue* q : {own.get(), again.get()}) {
    const Numbers data = numbered(100, 3);
    EXPECT_EQ(on_host<double>(*q, on_device(device, *q, data)), data);
  }
}

TEST_P(AnyDevice, CopiesFromHostMemoryThatWasPinnedLater) {
  Numbers data = numbered(1 << 14, 5);
  auto* bytes = reinterpret_cast<std::byte*>(data.data());
  const bool pinned = device->pin(bytes, data.size() * sizeof(double));
  EXPECT_EQ(on_host<double>(*queue, on_device(device, *queue, data)), data);
  if (pinned) device->unpin(bytes);
}

TEST_P(AnyDevice, CopiesToADeviceThatItReaches) {
  EXPECT_TRUE(device->reaches(*device));
  for (int number = 0; number < driver->count(); ++number) {
    const std::shared_ptr<Device> other = driver->open(number);
    if (!device->reaches(*other)) continue;
    EXPECT_TRUE(device->reaches(*other)) << "asked twice";
    const Numbers data = numbered(1000, number);
    const DeviceMemory here = on_device(device, *queue, data), there(other, here.bytes(), "a test");
    queue->copy(there.data(), here.data(), here.bytes());
    queue->synchronize();
    EXPECT_EQ(on_host<double>(*other->make_queue(), there), data);
  }
}

TEST(DeviceDrivers, ThatFindNoDeviceSayWhyAndThatDoHaveNothingToExplain) {
  for (const DeviceDriver* driver : device_drivers()) {
    EXPECT_EQ(driver->why_none().empty(), driver->count() > 0) << driver->space() << ": " << driver->why_none();
    EXPECT_FALSE(driver->library().empty());
    EXPECT_FALSE(driver->points_to(&driver).device);
  }
}

TEST(DeviceDrivers, NameWhatIsMissingWhenADeviceIsAskedForInVain) {
  for (const DeviceDriver* driver : device_drivers()) {
    const std::string name = std::string(driver->space()) + ":" + std::to_string(driver->count());
    try {
      static_cast<void>(find_device(name, 0));
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::unsupported);
      EXPECT_NE(std::string(error.what()).find(driver->count() ? "numbered" : driver->why_none()), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace shardfft::testing
