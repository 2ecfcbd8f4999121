// What fork() leaves behind: a child has one thread, and nothing of its parent that needs others.
#pragma once

#include <cstdint>
#include <mutex>

namespace shardfft {

/// Forks between the process that loaded this library and this one: what was made with another number belongs to a
/// parent.
[[nodiscard]] std::uint64_t fork_generation();

/// A mutex that a child finds free whichever thread of its parent held it: fork() waits for that one. Who holds one of
/// them neither forks nor locks another one.
class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ~ForkMutex();
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace shardfft
