// What fork() leaves behind: a child has one thread, and nothing of its parent that needs others.
#pragma once

#include <cstdint>
#include <mutex>

namespace shardfft {

/// Forks between the process that loaded this library and this one: what was made with another number belongs to a
/// parent.
[[nodiscard]] std::uint64_t fork_generation();

/// Whether OpenMP may take this thread for the master of a team that stayed in the parent: waking it would never end. A
/// thread that the child starts itself has no such team.
[[nodiscard]] bool lost_its_team();

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
