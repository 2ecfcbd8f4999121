// Threads that a thread keeps for its teams. How many there can be depends on the limits of the user, the container and
// the kernel, and on what OpenMP's variables allow.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "shardfft/programs/team.hpp"

namespace shardfft {

struct StartedThreads {
  int count = 0;         ///< the calling one among them; at most what was wanted
  bool refused = false;  ///< by the system, when they were started; else a variable does not allow more
  std::string why{};     ///< there are no more; empty where all that were wanted run
};

/// How many of them to use: where the system refused more, half as many and not more than cores, which leaves room for
/// all else that its limits count.
[[nodiscard]] int usable(const StartedThreads& there);

/// The calling thread and those that it keeps. They sleep between runs and end with it. A child of fork() starts its
/// own.
class TeamThreads {
 public:
  static TeamThreads& of_this_thread();
  TeamThreads(const TeamThreads&) = delete;
  ~TeamThreads();

  /// Starts those that are missing of `wanted`. What the system refuses leaves as many as it gave.
  StartedThreads start(int wanted);
  /// Ends those above `count`.
  void keep(int count);
  /// The calling one among them; 1 in a child of fork() that started none.
  [[nodiscard]] int count() const;

  /// call(work, member) on the first `team` of them; the first exception when all are done.
  void run(int team, void* work, void (*call)(void*, TeamMember));
  /// Waits for all other members of the team.
  void meet();

 private:
  struct SharedByTeam;
  TeamThreads();
  void forget_parent();
  std::uint64_t generation_;  // of forks
  std::unique_ptr<SharedByTeam> shared_;
};

/// Starts threads for teams of this thread, and says how many there are.
inline StartedThreads start_threads(int wanted) { return TeamThreads::of_this_thread().start(wanted); }

/// Threads of other processes that compute on the same cores. Where there are more than cores, waiting ones sleep at
/// once.
void share_cores_with(int others);

/// Bytes of OMP_STACKSIZE or GOMP_STACKSIZE, as OpenMP reads it: kilobytes, or with a unit B, K, M or G; 0 where `text`
/// is null or no such size.
[[nodiscard]] std::size_t stack_size_of(const char* text);

}  // namespace shardfft
