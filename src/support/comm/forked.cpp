#include "support/comm/forked.hpp"

#include <pthread.h>

#include <atomic>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define SHARDFFT_KNOWS_THREADS 1
#endif

namespace shardfft {
namespace {

std::atomic<std::uint64_t> generation{0};
std::atomic<bool> had_threads{false};
thread_local bool lost_team = false;

// In the parent. A process that never started a thread has no team to lose, whoever else uses OpenMP in it.
void look_before_fork() {
#if defined(SHARDFFT_KNOWS_THREADS)
  had_threads = __libc_single_threaded == 0;
#else
  had_threads = true;
#endif
}

// In the child's only thread, which was the one that forked.
void mark_child() {
  generation.fetch_add(1);
  lost_team = lost_team || had_threads.load();
}

[[maybe_unused]] const int registered = pthread_atfork(look_before_fork, nullptr, mark_child);

}  // namespace

std::uint64_t fork_generation() { return generation.load(std::memory_order_relaxed); }
bool lost_its_team() { return lost_team; }

}  // namespace shardfft
