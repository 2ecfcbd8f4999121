// How many threads there may be: what is asked for is a number, what there is depends on the limits of the user, the
// container, the kernel and OpenMP.
#pragma once

#include <memory>
#include <string>

#include "shardfft/programs/team.hpp"  // team_of

namespace shardfft {

struct StartableThreads {
  int count = 0;         ///< the calling one among them; at most what was wanted
  bool refused = false;  ///< by the system, when they were started; else OpenMP would not have asked for more
  std::string why{};     ///< there are no more; empty where all that were wanted can be had
};

/// How many of them to use: where the system refused more, half as many and not more than cores, which leaves room for
/// all else that its limits count.
[[nodiscard]] int usable(const StartableThreads& there);

/// Threads as OpenMP would start them for a team of `wanted`, the calling thread among them; they are there, all at
/// once, until this ends. Only starting them says whether they can be had: OpenMP's own answer to a limit is to end the
/// process. Ranks that share limits hold theirs together, until all have counted.
class HeldThreads {
 public:
  explicit HeldThreads(int wanted);
  HeldThreads(const HeldThreads&) = delete;
  ~HeldThreads();
  [[nodiscard]] const StartableThreads& found() const { return found_; }

 private:
  struct WaitingThreads;
  std::unique_ptr<WaitingThreads> waiting_;
  StartableThreads found_;
};

/// Holds them and lets them go. What this thread was once found to have is remembered, by this and by HeldThreads.
[[nodiscard]] StartableThreads startable_threads(int wanted);

/// OpenMP keeps so many for this thread from now on: memory that is taken later does not keep them from starting.
void start_team(int threads);

/// Bytes of OMP_STACKSIZE or GOMP_STACKSIZE, as OpenMP reads it: kilobytes, or with a unit B, K, M or G; 0 where `text`
/// is null or no such size.
[[nodiscard]] std::size_t stack_size_of(const char* text);

}  // namespace shardfft
