// Processes that descend from this one.
#pragma once

#include <vector>

#include <sys/types.h>

namespace shardfft::compare {

/// Orphans among the descendants become children of this process instead of leaving it. Linux.
void adopt_orphans();
/// Children, their children and so on, as /proc shows them.
[[nodiscard]] std::vector<pid_t> descendants();
/// Ends all descendants (SIGKILL) and waits for them, at most 10 seconds: what the kernel holds longer cannot be
/// helped.
void end_descendants();

}  // namespace shardfft::compare
