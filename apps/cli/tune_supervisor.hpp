// Tuning in child jobs.
#pragma once

#include <string>
#include <vector>

namespace shardfft::cli {

/// Runs `launch` (blank-separated words, such as "mpirun -n 4") with this program and `words`, and again as long as a candidate hangs or crashes. Returns the exit status of
/// the last run. Throws Error(unsupported) when the launcher cannot be started.
int supervise(const std::string& launch, const std::vector<std::string>& words);

}  // namespace shardfft::cli
