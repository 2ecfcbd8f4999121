// Tuning in child jobs.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace shardfft::cli {

/// The words of a job that may measure for so many seconds in all.
using WordsFor = std::function<std::vector<std::string>(double seconds)>;

/// Runs `launch` (blank-separated words, such as "mpirun -n 4") with this program and its words, and again as long as a
/// candidate hangs or crashes and the job wrote that down: without, the next one would do the same. All of them share
/// `seconds`, which hung candidates (`limit` seconds) do not use up; each job has a quarter of it at least. Returns the
/// exit status of the last run, 1 where no job could be started. Throws Error(unsupported) when there is no such
/// launcher.
int supervise(const std::string& launch, const WordsFor& words, double seconds, double limit);

}  // namespace shardfft::cli
