#include "support/comm/forked.hpp"

#include <pthread.h>

#include <atomic>
#include <vector>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define SHARDFFT_KNOWS_THREADS 1
#endif

namespace shardfft {
namespace {

std::atomic<std::uint64_t> generation{0};
std::atomic<bool> had_threads{false};
thread_local bool lost_team = false;

struct ForkMutexes {
  std::mutex mutex;
  std::vector<ForkMutex*> all;
};
/// Never destroyed: a program forks as long as it runs.
ForkMutexes& all_mutexes() {
  static ForkMutexes& all = *new ForkMutexes;
  return all;
}

// In the parent. A process that never started a thread has no team to lose, whoever else uses OpenMP in it.
void look_before_fork() {
#if defined(SHARDFFT_KNOWS_THREADS)
  had_threads = __libc_single_threaded == 0;
#else
  had_threads = true;
#endif
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
  lost_team = lost_team || had_threads.load();
  unlock_all();
}

[[maybe_unused]] const int registered = pthread_atfork(look_before_fork, unlock_all, mark_child);

}  // namespace

std::uint64_t fork_generation() { return generation.load(std::memory_order_relaxed); }
bool lost_its_team() { return lost_team; }

ForkMutex::ForkMutex() {
  const std::lock_guard lock(all_mutexes().mutex);
  all_mutexes().all.push_back(this);
}

ForkMutex::~ForkMutex() {
  const std::lock_guard lock(all_mutexes().mutex);
  std::erase(all_mutexes().all, this);
}

}  // namespace shardfft
