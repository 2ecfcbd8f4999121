// sched_yield() of test programs under a launcher, for the library and for MPI. Ranks that wait call it in turn, and
// their switches take most of the time of a test. CTest runs as many tests as there are cores, so a test
// with two ranks has fewer cores than ranks. There it sleeps.
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

/// SHARDFFT_TEST_RANKS comes from tools/mpirun.
bool has_other_ranks() {
  const char* ranks = std::getenv("SHARDFFT_TEST_RANKS");
  return ranks && std::atoi(ranks) > 1;
}

}  // namespace

extern "C" int sched_yield() noexcept {
  static const bool sleeps = has_other_ranks();
  if (!sleeps) return static_cast<int>(syscall(SYS_sched_yield));
  const timespec moment{.tv_sec = 0, .tv_nsec = 10'000};
  nanosleep(&moment, nullptr);
  return 0;
}
