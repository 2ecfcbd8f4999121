#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/memory/buffer.hpp"

namespace shardfft {
namespace {

// glibc's first such call of a process sets its allocator up, and crashed under sanitizers where two threads came
// first.
TEST(FreedMemory, IsReleasedByManyThreadsAtOnce) {
  constexpr int count = 4;
  std::atomic<int> here = 0, done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&] {
      ++here;
      while (here < count) {}  // awake: threads that sleep start one after the other
      for (int call = 0; call < 20; ++call) release_freed_memory();
      ++done;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, count);
}

}  // namespace
}  // namespace shardfft
