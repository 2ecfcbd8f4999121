#include "support/startable_threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace shardfft {
namespace {

std::atomic<int> known_to_work{1};

/// Threads that wait for this to end, so that all of them are there at once.
class Waiting {
 public:
  ~Waiting() {
    ended_.store(true);
    ended_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void start(int count) {
    threads_.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { ended_.wait(false); });
  }
  [[nodiscard]] int count() const { return static_cast<int>(threads_.size()); }

 private:
  std::atomic<bool> ended_{false};
  std::vector<std::thread> threads_{};
};

}  // namespace

StartableThreads startable_threads(int wanted) {
  if (wanted <= known_to_work.load()) return {wanted, {}};
  Waiting waiting;
  try {
    waiting.start(wanted - 1);
  } catch (const std::exception& e) { return {waiting.count() + 1, e.what()}; }
  known_to_work.store(std::max(wanted, known_to_work.load()));
  return {wanted, {}};
}

}  // namespace shardfft
