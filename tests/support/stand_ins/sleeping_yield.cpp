// sched_yield() of test programs under a launcher, for the library and for MPI. Where there are more ranks than cores,
// all that wait call it in turn, and their switches take most of the time of a test: there it sleeps.
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

/// SHARDFFT_TEST_RANKS comes from tools/mpirun.
bool has_more_ranks_than_cores() {
  const char* ranks = std::getenv("SHARDFFT_TEST_RANKS");
  return ranks && std::atoi(ranks) > sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace

extern "C" int sched_yield() noexcept {
  static const bool sleeps = has_more_ranks_than_cores();
  if (!sleeps) return static_cast<int>(syscall(SYS_sched_yield));
  const timespec moment{.tv_sec = 0, .tv_nsec = 10'000};
  nanosleep(&moment, nullptr);
  return 0;
}
