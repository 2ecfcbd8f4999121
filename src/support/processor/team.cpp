#include "shardfft/programs/team.hpp"

#include <omp.h>

#include <exception>
#include <mutex>

namespace shardfft {

int cores_of_process() { return omp_get_num_procs(); }
int allowed_threads() { return omp_get_max_threads(); }

void run_team(int wanted, void* work, void (*call)(void*, TeamMember)) {
  const int team = team_of(wanted);
  if (team == 1) return call(work, {});
  std::exception_ptr failure;
  std::mutex lock;
#pragma omp parallel num_threads(team)
  {
    try {
      call(work, {omp_get_thread_num(), omp_get_num_threads()});
    } catch (...) {
      const std::lock_guard guard(lock);
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

void team_barrier() {
#pragma omp barrier
}

}  // namespace shardfft
