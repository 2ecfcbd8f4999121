// Ranks as threads, each with its device and queue, that hand events to each other.
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "device/emulated_devices.hpp"

namespace shardfft::testing {
namespace {

constexpr int ranks = 4;

/// A ring: every rank writes into its neighbour's inbox and waits for what came into its own, round after round; host
/// messages are only "my event is recorded".
class Ring {
 public:
  void run(int rank, int rounds) {
    const auto me = static_cast<std::size_t>(rank), right = static_cast<std::size_t>((rank + 1) % ranks),
               left = static_cast<std::size_t>((rank + ranks - 1) % ranks);
    const auto device = emulated_device(rank);
    ASSERT_TRUE(device->reaches(*emulated_device(static_cast<int>(right))));
    const Numbers<double> mine(device, std::vector<double>{rank + 1.0}), inbox(device, 1),
        out(device, 1, MemoryKind::pinned);
    inboxes_[me] = inbox.data();
    sent_[me] = device->make_event(), taken_[me] = device->make_event();
    const auto queue = device->make_queue();
    meet_.arrive_and_wait();
    for (int round = 0; round < rounds; ++round) {
      queue->wait(*taken_[right]);
      queue->copy(inboxes_[right], mine.data(), 8);
      queue->record(*sent_[me]);
      meet_.arrive_and_wait();
      queue->wait(*sent_[left]);
      queue->copy(mine.data(), inbox.data(), 8);
      queue->record(*taken_[me]);
      meet_.arrive_and_wait();
      if ((round + rank) % 3 == 0) (void)queue->idle();
      if ((round + rank) % 5 == 0) check(*queue, mine, out, rank, round);
    }
    check(*queue, mine, out, rank, rounds - 1);
    meet_.arrive_and_wait();
  }

 private:
  static void check(Queue& queue, const Numbers<double>& mine, const Numbers<double>& out, int rank, int round) {
    queue.copy(out.data(), mine.data(), 8);
    queue.synchronize();
    EXPECT_EQ(out.numbers()[0], (rank + ranks * (round + 1) - (round + 1)) % ranks + 1.0)
        << "rank " << rank << ", round " << round;
  }
  std::barrier<> meet_{ranks};
  std::array<std::byte*, ranks> inboxes_{};
  std::array<std::unique_ptr<Event>, ranks> sent_{}, taken_{};
};

/// Each rank in a thread of its own, to their ends.
template <class Work>
void on_all(Work work) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(work, rank);
  for (std::thread& thread : threads) thread.join();
}

TEST(EmulatedThreads, HandDataAroundARingByEvents) {
  for_seeds(10, [](int) {
    Ring ring;
    on_all([&](int rank) { ring.run(rank, 40); });
  });
}

TEST(EmulatedThreads, AllocateCopyAndTransformAtOnce) {
  on_all([](int rank) {
    const auto device = emulated_device(rank % 2);
    const auto queue = device->make_queue();
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> impulse = {1.0 + rank, 0, 0, 0, 0, 0, 0, 0};
      const Numbers<double> memory(device, impulse);
      const auto fft = device->make_fft({.n = {4}});
      const Numbers<std::byte> scratch(device, fft->work_bytes());
      fft->run(*queue, memory.data(), memory.data(), scratch.data());
      queue->synchronize();
      EXPECT_EQ(memory.get(), (std::vector<double>{1.0 + rank, 0, 1.0 + rank, 0, 1.0 + rank, 0, 1.0 + rank, 0}));
      EXPECT_EQ(find_driver("emulated")->points_to(memory.data()).number, rank % 2);
    }
  });
}

}  // namespace
}  // namespace shardfft::testing
