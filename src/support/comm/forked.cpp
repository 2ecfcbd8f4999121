#include "support/comm/forked.hpp"

#include <pthread.h>

#include <atomic>
#include <vector>

namespace shardfft {
namespace {

std::atomic<std::uint64_t> generation{0};

struct ForkMutexes {
  std::mutex mutex;
  std::vector<ForkMutex*> all;
};
/// Never destroyed: a program forks as long as it runs.
ForkMutexes& all_mutexes() {
  static ForkMutexes& all = *new ForkMutexes;
  return all;
}

// In the parent.
void lock_all() {
  all_mutexes().mutex.lock();
  for (ForkMutex* mutex : all_mutexes().all) mutex->lock();
}

void unlock_all() {
  for (ForkMutex* mutex : all_mutexes().all) mutex->unlock();
  all_mutexes().mutex.unlock();
}

// In the child's only thread, which was the one that forked.
void mark_child() {
  generation.fetch_add(1);
  unlock_all();
}

[[maybe_unused]] const int registered = pthread_atfork(lock_all, unlock_all, mark_child);

}  // namespace

std::uint64_t fork_generation() { return generation.load(std::memory_order_relaxed); }

ForkMutex::ForkMutex() {
  const std::lock_guard lock(all_mutexes().mutex);
  all_mutexes().all.push_back(this);
}

ForkMutex::~ForkMutex() {
  const std::lock_guard lock(all_mutexes().mutex);
  std::erase(all_mutexes().all, this);
}

}  // namespace shardfft
