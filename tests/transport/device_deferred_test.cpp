// In which order a channel behind a queue asks the channel that it is made of.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/transport/device_deferred.hpp"
#include "shardfft/comm.hpp"
#include "support/stand_ins/no_channel.hpp"

namespace shardfft::testing {
namespace {

using Calls = std::vector<std::string>;

// Writes down what it is asked for.
class WrittenDown final : public NoChannel {
 public:
  explicit WrittenDown(Calls& calls) : calls_(calls) {}
  void begin(int round) override { calls_.push_back("begin " + std::to_string(round)); }
  void send(int round, int chunk) override {
    calls_.push_back("send " + std::to_string(round) + " " + std::to_string(chunk));
  }

 private:
  Calls& calls_;
};

class Behind final : public WithoutMemory<DeferredChannel> {
 public:
  Behind(Device& device, Queue& queue, const Traffic& traffic, Calls& calls)
      : WithoutMemory(local(), queue, traffic, std::make_unique<WrittenDown>(calls)) {
    for (std::size_t i = 0; i < 8; ++i) events_.push_back(device.make_event());
  }

 private:
  const Event* hand_over(int round, int chunk) override {
    Event* event = events_[static_cast<std::size_t>(4 * round + chunk)].get();
    queue().record(*event);
    return event;
  }
  void give_back(int) override {}
  std::vector<std::unique_ptr<Event>> events_{};
};

// Rounds may share a send buffer, and the channel that owns it can wait only for what it was given: found as an answer
// of mpi_device that was wrong now and then.
TEST(DeferredChannel, BeginsARoundOnceAllBeforeItIsHandedOn) {
  const auto device = find_device("emulated", 0);
  const auto queue = device->make_queue();
  const DeviceMemory memory(device, 64, "a test");
  for (const bool waits : {true, false}) {
    Calls calls;
    Traffic traffic;
    traffic.rounds.resize(2);
    for (Round& round : traffic.rounds) round.chunks = 3;
    Behind channel(*device, *queue, traffic, calls);
    for (int run = 0; run < 20; ++run) {
      calls.clear();
      Calls expected;
      for (int round = 0; round < 2; ++round) {
        if (!waits)
          while (!channel.ready(round)) continue;
        channel.begin(round);
        expected.push_back("begin " + std::to_string(round));
        for (int chunk = 0; chunk < 3; ++chunk) {
          for (int i = 0; i < 20; ++i) queue->zero(memory.data(), memory.bytes());  // the device has something to do
          channel.send(round, chunk);
          expected.push_back("send " + std::to_string(round) + " " + std::to_string(chunk));
        }
      }
      channel.wait(1);
      ASSERT_EQ(calls, expected) << "run " << run << ", waits " << waits;
    }
  }
}

}  // namespace
}  // namespace shardfft::testing
