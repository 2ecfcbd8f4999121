// What fork() leaves behind: a child has one thread, and nothing of its parent that needs others.
#pragma once

#include <cstdint>

namespace shardfft {

/// Forks between the process that loaded this library and this one: what was made with another number belongs to a
/// parent.
[[nodiscard]] std::uint64_t fork_generation();

/// Whether OpenMP may take this thread for the master of a team that stayed in the parent: waking it would never end. A
/// thread that the child starts itself has no such team.
[[nodiscard]] bool lost_its_team();

}  // namespace shardfft
