#include "shardfft/programs/team.hpp"

#include <omp.h>

#include <utility>

#include "support/processor/team_threads.hpp"

namespace shardfft {
namespace {

/// What this thread works for.
struct Place {
  TeamThreads* team = nullptr;  ///< whose members meet at barriers; null outside, and in a team of one
  bool is_inside = false;       ///< a team of several, however deep: its threads have no time for another one
};
thread_local Place here;

class Inside {
 public:
  explicit Inside(TeamThreads* team) : before_(std::exchange(here, {team, here.is_inside || team})) {}
  Inside(const Inside&) = delete;
  ~Inside() { here = before_; }

 private:
  Place before_;
};

}  // namespace

int cores_of_process() { return omp_get_num_procs(); }
int allowed_threads() { return omp_get_max_threads(); }

int team_of(int wanted) {
  if (wanted <= 1 || here.is_inside || omp_get_active_level() >= omp_get_max_active_levels()) return 1;
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
    const Inside inside(&all.threads);
    all.call(all.work, member);
  });
}

void team_barrier() {
  if (here.team) here.team->meet();
}

}  // namespace shardfft
