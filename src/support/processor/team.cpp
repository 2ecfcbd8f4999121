#include "shardfft/programs/team.hpp"

#include <omp.h>

#include <utility>

#include "support/processor/team_threads.hpp"

namespace shardfft {
namespace {

/// Those of the team that this thread works in; null outside, and in a team of one.
thread_local TeamThreads* team_here = nullptr;

class Inside {
 public:
  explicit Inside(TeamThreads* team) : before_(std::exchange(team_here, team)) {}
  Inside(const Inside&) = delete;
  ~Inside() { team_here = before_; }

 private:
  TeamThreads* before_;
};

}  // namespace

int cores_of_process() { return omp_get_num_procs(); }
int allowed_threads() { return omp_get_max_threads(); }

int team_of(int wanted) {
  if (wanted <= 1 || team_here || omp_get_active_level() >= omp_get_max_active_levels()) return 1;
  TeamThreads& mine = TeamThreads::of_this_thread();
  if (wanted <= mine.count()) return wanted;
  const StartedThreads there = mine.start(wanted);
  if (there.refused) mine.keep(usable(there));
  return usable(there);
}

void run_team(int wanted, void* work, void (*call)(void*, TeamMember)) {
  const int team = team_of(wanted);
  if (team == 1) {
    const Inside alone(nullptr);
    return call(work, {});
  }
  struct Work {
    TeamThreads& threads;
    void* work;
    void (*call)(void*, TeamMember);
  } mine{TeamThreads::of_this_thread(), work, call};
  mine.threads.run(team, &mine, [](void* it, TeamMember member) {
    const Work& all = *static_cast<Work*>(it);
    const Inside here(&all.threads);
    all.call(all.work, member);
  });
}

void team_barrier() {
  if (team_here) team_here->meet();
}

}  // namespace shardfft
