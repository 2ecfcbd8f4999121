// Threads of this process that work together. No other file starts them: this one knows what fork() leaves behind and
// how many threads can be had, and lets those that wait sleep.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <type_traits>

#include "shardfft/box.hpp"

namespace shardfft {

/// Which thread this is, of how many.
struct TeamMember {
  int thread = 0, threads = 1;
  /// The share of this thread: [begin(count), end(count)). Shares cover 0 to `count` in the order of threads.
  [[nodiscard]] Index begin(Index count) const { return count * thread / threads; }
  [[nodiscard]] Index end(Index count) const { return count * (thread + 1) / threads; }
};

/// Threads that a team of this thread gets: `wanted`, or as many as can be started; 1 inside a team. Finding that out
/// is cheap from the second time on, and allocates nothing then.
[[nodiscard]] int team_of(int wanted);
/// Cores that this process may use.
[[nodiscard]] int cores_of_process();
/// The most threads that the user allows a team: OMP_NUM_THREADS, else as many as there are cores.
[[nodiscard]] int allowed_threads();

/// Calls call(work, member) on each thread of a team of team_of(wanted). Throws the first exception of any thread when
/// all are done. Each calling thread has a team of its own, whose threads sleep 200 us after they last had work.
void run_team(int wanted, void* work, void (*call)(void*, TeamMember));
/// Inside a team: waits until all of its threads are here.
void team_barrier();

/// work(member) on each thread of a team. Allocates nothing.
template <class Work>
void on_team(int wanted, Work&& work) {
  using Plain = std::remove_reference_t<Work>;
  run_team(wanted, const_cast<void*>(static_cast<const void*>(std::addressof(work))),
           [](void* it, TeamMember member) { (*static_cast<Plain*>(it))(member); });
}

/// body(i) for 0 <= i < count, each thread doing its share, the same one every time.
template <class Body>
void for_each_shared(int threads, Index count, Body&& body) {
  on_team(static_cast<int>(std::min<Index>(threads, count)), [&](TeamMember me) {
    for (Index i = me.begin(count), end = me.end(count); i < end; ++i) body(i);
  });
}

/// body(i) for 0 <= i < count, each thread taking the next `chunk` when it is free. After an exception none is taken.
template <class Body>
void for_each_dealt(int threads, Index count, Index chunk, Body&& body) {
  std::atomic<Index> next{0};
  on_team(static_cast<int>(std::min<Index>(threads, count)), [&](TeamMember) {
    try {
      for (Index first = next.fetch_add(chunk); first < count; first = next.fetch_add(chunk))
        for (Index i = first; i < std::min(count, first + chunk); ++i) body(i);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

}  // namespace shardfft
