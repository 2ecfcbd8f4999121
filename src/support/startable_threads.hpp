// How many threads there may be: what is asked for is a number, what there is depends on the user's, the container's and the kernel's limits.
#pragma once

#include <string>

namespace shardfft {

struct StartableThreads {
  int count = 0;      ///< the calling one among them; at most what was wanted
  std::string why{};  ///< there are no more; empty where all that were wanted can be had
};

/// Starts them, since only that says it, and ends them again; what was found to work once is remembered. OpenMP's own answer to a limit is to end the process.
[[nodiscard]] StartableThreads startable_threads(int wanted);

}  // namespace shardfft
