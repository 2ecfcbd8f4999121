// What a GPU would fail at, or crash: one clear line each.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>

#include "device/emulated_devices.hpp"
#include "support/thrown.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

constexpr auto pinned_kind = MemoryKind::pinned;

/// Whether `work` is refused with this status and all these words.
template <class Work>
::testing::AssertionResult refused(Work work, std::initializer_list<const char*> words) {
  const std::string got = thrown(work);
  for (const char* word : words)
    if (got.find(word) == std::string::npos)
      return ::testing::AssertionFailure() << "'" << word << "' is not in '" << got << "'";
  return ::testing::AssertionSuccess();
}

std::unique_ptr<MoveList> one_row(Device& device, Index numbers) {
  return device.make_moves({.scalar = Scalar::f64, .complex = false}, std::vector{BoxMove{.axes = 1,
                                                                                          .from_base = MoveBase::input,
                                                                                          .to_base = MoveBase::output,
                                                                                          .extent = {numbers},
                                                                                          .from_step = {8},
                                                                                          .to_step = {8}}});
}
MoveBases bases(const void* from, const void* to) {
  MoveBases all;
  all.start[static_cast<int>(MoveBase::input)] = static_cast<std::byte*>(const_cast<void*>(from)),
  all.start[static_cast<int>(MoveBase::output)] = static_cast<std::byte*>(const_cast<void*>(to));
  return all;
}

TEST(EmulatedMemory, BelongsToItsDevice) {
  const auto& driver = *find_driver("emulated");
  const Numbers<double> zero(emulated_device(0), 4), three(emulated_device(3), 4),
      host(emulated_device(0), 4, pinned_kind);
  double local = 0;
  EXPECT_TRUE(driver.points_to(zero.data()).device);
  EXPECT_EQ(driver.points_to(zero.data() + 31).number, 0);
  EXPECT_EQ(driver.points_to(three.data() + 5).number, 3);
  EXPECT_FALSE(driver.points_to(host.data()).device);
  EXPECT_FALSE(driver.points_to(&local).device);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(zero.data()) % 256, 0u);
}

TEST(EmulatedMemory, IsAsMuchAsTheVariableSays) {
  const Variable limit("SHARDFFT_EMULATED_BYTES", "10000");
  const auto device = emulated_device(2);
  const auto memory = std::make_unique<Numbers<char>>(device, 6000);
  EXPECT_EQ(device->facts().memory_bytes, 10000u);
  EXPECT_EQ(device->facts().free_bytes, 4000u);
  EXPECT_TRUE(refused([&] { (void)device->allocate(4001, "a large plane"); },
                      {"out_of_memory", "a large plane", "4001", "4000 are free"}));
  EXPECT_EQ(thrown([&] { device->free(device->allocate(4000, "all of it")); }), "");
  EXPECT_EQ(emulated_device(1)->facts().free_bytes, 10000u);
}

TEST(EmulatedMemory, ThatWasFreedIsNotUsed) {
  const auto device = emulated_device();
  const auto queue = device->make_queue();
  const auto list = one_row(*device, 4);
  const Numbers<double> live(device, 4);
  std::byte* gone = device->allocate(32, "test");
  device->free(gone);
  EXPECT_TRUE(refused([&] { queue->copy(live.data(), gone, 32); }, {"device_failed", "copy from", "freed before"}));
  EXPECT_TRUE(refused([&] { queue->zero(gone + 16, 8); }, {"device_failed", "zero", "freed before"}));
  EXPECT_TRUE(
      refused([&] { queue->move(*list, bases(live.data(), gone), 1); }, {"device_failed", "move", "freed before"}));
  std::byte* pinned_gone = device->allocate_pinned(32, "test");
  device->free_pinned(pinned_gone);
  EXPECT_TRUE(refused([&] { queue->copy(live.data(), pinned_gone, 32); }, {"device_failed", "freed before"}));
}

TEST(EmulatedMemory, IsNotUsedBeyondItsEnd) {
  const auto device = emulated_device();
  const auto queue = device->make_queue();
  const Numbers<double> memory(device, 4), other(device, 8);
  EXPECT_TRUE(refused([&] { queue->copy(memory.data() + 8, other.data(), 32); },
                      {"device_failed", "copy to", "beyond the end", "24 bytes"}));
  EXPECT_EQ(thrown([&] { queue->copy(memory.data(), other.data(), 32); }), "");
  EXPECT_TRUE(refused([&] { queue->copy(memory.data(), other.data(), 33); },
                      {"device_failed", "copy to", "beyond the end", "32 bytes"}));
  EXPECT_TRUE(refused([&] { queue->move(*one_row(*device, 5), bases(other.data(), memory.data()), 1); },
                      {"device_failed", "move", "beyond the end"}));
  EXPECT_TRUE(refused([&] { queue->copy_rows({memory.data(), other.data(), 8, 1, 3, 0, 16, 0, 8}); },
                      {"device_failed", "copy to", "40 bytes"}));
}

TEST(EmulatedMemory, OfTheHostIsPinnedBeforeADeviceReadsItByItself) {
  const auto device = emulated_device();
  const auto queue = device->make_queue();
  const auto list = one_row(*device, 4);
  const Numbers<double> memory(device, 4);
  std::vector<double> host = {1, 2, 3, 4};
  auto* start = reinterpret_cast<std::byte*>(host.data());
  EXPECT_TRUE(refused([&] { queue->move(*list, bases(start, memory.data()), 1); }, {"device_failed", "not pinned"}));
  EXPECT_TRUE(refused([&] { queue->zero(start, 8); }, {"device_failed", "not pinned"}));
  ASSERT_TRUE(device->pin(start, 32));
  EXPECT_FALSE(device->pin(start + 8, 8));
  queue->move(*list, bases(start, memory.data()), 1);
  queue->synchronize();
  EXPECT_EQ(memory.get(), host);
  device->unpin(start);
  EXPECT_TRUE(refused([&] { queue->move(*list, bases(start, memory.data()), 1); }, {"device_failed", "not pinned"}));
}

TEST(EmulatedMemory, OfOtherDevicesIsReachedAfterAsking) {
  const auto device = emulated_device(2), other = emulated_device(3);
  const auto queue = device->make_queue();
  const Numbers<double> mine(device, 4), theirs(other, std::vector<double>{1, 2, 3, 4});
  {
    const Variable none("SHARDFFT_EMULATED_REACH", "0");
    EXPECT_FALSE(device->reaches(*other));
    EXPECT_TRUE(device->reaches(*device));
  }
  EXPECT_TRUE(
      refused([&] { queue->copy(mine.data(), theirs.data(), 32); }, {"device_failed", "of device 3", "reaches()"}));
  EXPECT_TRUE(device->reaches(*other));
  queue->copy(mine.data(), theirs.data(), 32);
  EXPECT_EQ(mine.get().size(), 4u);
  queue->synchronize();
  EXPECT_EQ(mine.get(), theirs.get());
}

TEST(EmulatedMemory, BeginsAsNoSensibleNumber) {
  const Numbers<double> memory(emulated_device(), 100);
  for (const double x : memory.get()) EXPECT_NE(x, x);
}

TEST(EmulatedMoves, RefuseMissingBasesAndAddressesBetweenScalars) {
  const auto device = emulated_device();
  const auto queue = device->make_queue();
  const auto list = one_row(*device, 4);
  const Numbers<double> memory(device, 8);
  EXPECT_TRUE(
      refused([&] { queue->move(*list, bases(nullptr, memory.data()), 1); }, {"device_failed", "base 1", "nullptr"}));
  EXPECT_TRUE(refused([&] { queue->move(*list, bases(memory.data() + 4, memory.data() + 32), 1); },
                      {"device_failed", "multiples", "8 bytes"}));
}

TEST(EmulatedMoves, AndTransformsLiveUntilTheirQueueHasDoneWithThem) {
  const auto device = emulated_device();
  const auto queue = device->make_queue();
  const Numbers<double> memory(device, 8), scratch(device, 512);
  auto list = one_row(*device, 4);
  queue->move(*list, bases(memory.data(), memory.data() + 32), 1);
  list.reset();
  EXPECT_TRUE(refused([&] { queue->synchronize(); }, {"device_failed", "move list", "destroyed before"}));
  auto fft = device->make_fft({.n = {4}});
  fft->run(*queue, memory.data(), memory.data(), scratch.data());
  fft.reset();
  EXPECT_TRUE(refused([&] { queue->synchronize(); }, {"device_failed", "transform", "destroyed before"}));
}

TEST(EmulatedNames, ForOtherProcessesDoNotExist) {
  const auto device = emulated_device();
  const Numbers<double> memory(device, 8);
  EXPECT_TRUE(refused([&] { (void)device->share(memory.data()); }, {"unsupported", "other processes"}));
  EXPECT_TRUE(refused([&] { (void)device->open_shared({}); }, {"unsupported", "other processes"}));
  EXPECT_TRUE(refused([&] { (void)device->make_event(true)->share(); }, {"unsupported", "other processes"}));
  EXPECT_TRUE(refused([&] { (void)device->open_event({}, nullptr); }, {"unsupported", "other processes"}));
}

TEST(EmulatedDriver, CountsItsDevicesByTheVariable) {
  const auto& driver = *find_driver("emulated");
  EXPECT_EQ(driver.count(), 4);
  EXPECT_EQ(find_device("emulated:3", 0)->number(), 3);
  EXPECT_EQ(find_device("emulated", 6)->number(), 2);
  EXPECT_TRUE(refused([] { (void)find_device("emulated:4", 0); }, {"unsupported", "0 to 3", "emulated:4"}));
  const Variable none("SHARDFFT_EMULATED_DEVICES", "0");
  EXPECT_EQ(driver.count(), 0);
  EXPECT_TRUE(refused([] { (void)find_device("emulated", 0); }, {"unsupported", "SHARDFFT_EMULATED_DEVICES is 0"}));
  const Variable words("SHARDFFT_EMULATED_DEVICES", "two");
  EXPECT_EQ(driver.count(), 0);
  EXPECT_NE(driver.why_none().find("'two'"), std::string::npos);
}

TEST(EmulatedDriverDeathTest, EndsTheProgramThatFreesTwice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const auto device = emulated_device();
        std::byte* memory = device->allocate(8, "test");
        device->free(memory);
        device->free(memory);
      },
      "free\\(\\) gets what was allocated and not freed yet");
}

TEST(EmulatedDriverDeathTest, EndsTheProgramThatUnpinsWhatIsGone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const auto device = emulated_device();
        void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (!device->pin(static_cast<std::byte*>(memory), 4096)) std::exit(0);
        munmap(memory, 4096);
        device->unpin(static_cast<std::byte*>(memory));
      },
      "unpin\\(\\) gets what was pinned and is there still");
}

}  // namespace
}  // namespace shardfft::testing
