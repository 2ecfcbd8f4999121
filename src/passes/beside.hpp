// Jobs that run beside the thread that asks for them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "shardfft/box.hpp"

namespace shardfft::files {

/// A thread that does one job after the other and sleeps between them. If the system starts no thread, ask() does the
/// job itself. After a job that throws, none is begun.
class Beside {
 public:
  Beside();
  ~Beside();  ///< waits for the job in hand, and drops those that have not begun
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  void ask(std::function<void()> job);
  /// Returns when the first `jobs` are done. Throws what a job threw.
  void wait_for(Index jobs);

 private:
  void work();
  void do_one(const std::function<void()>& job);

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_{};
  Index done_ = 0;
  bool ends_ = false;
  std::exception_ptr failure_{};
  std::thread thread_;
};

}  // namespace shardfft::files
